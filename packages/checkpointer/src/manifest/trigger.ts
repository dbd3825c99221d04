/** How the names of channels begin that start a node. */
export const TRIGGER = "branch:to:";
export const triggerOf = (node: string): string => TRIGGER + node;

/** The version of a node's own trigger, if that is all it has seen; not 0, which means gone. */
export function ofTrigger(node: string, pairs: readonly unknown[]): number | undefined {
  const version = pairs.length === 2 && pairs[0] === triggerOf(node) ? pairs[1] : undefined;
  return typeof version === "number" && version > 0 ? version : undefined;
}
