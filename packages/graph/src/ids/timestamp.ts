import { isoTime } from "@skein/checkpointer/base";

/** The last time that was written out: steps of one millisecond share a text, which a saver keeps. */
const last = { now: Number.NaN, text: "" };

/** The present time as ISO 8601. */
export function timestamp(now: number = Date.now()): string {
  if (now !== last.now) {
    last.now = now;
    last.text = isoTime(now);
  }
  return last.text;
}
