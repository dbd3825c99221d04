/** The last second that was written out; only saves doing it again. */
const last = { second: Number.NaN, text: "" };

/** The present time as ISO 8601, as `Date.toISOString` has it, which takes a microsecond. */
export function timestamp(now: number = Date.now()): string {
  const second = Math.floor(now / 1000);
  if (second !== last.second) {
    last.second = second;
    last.text = new Date(second * 1000).toISOString().slice(0, -4);
  }
  return `${last.text}${String(now - second * 1000).padStart(3, "0")}Z`;
}
