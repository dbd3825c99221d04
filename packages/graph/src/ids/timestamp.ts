/** The last time that was written out: steps of one millisecond share a text, which a saver keeps. */
const last = { now: Number.NaN, text: "" };

/** The present time as ISO 8601. */
export function timestamp(now: number = Date.now()): string {
  if (now !== last.now) {
    last.now = now;
    last.text = new Date(now).toISOString();
  }
  return last.text;
}
