/** Whether a list has holes. */
export function isSparse(list: readonly unknown[]): boolean {
  if (list.length === 0 || !list.includes(undefined)) return false;
  for (let at = 0; at < list.length; at += 1) if (!(at in list)) return true;
  return false;
}
