import { flat } from "../core/flat.ts";

const padded = (value: number, length = 2): string => String(value).padStart(length, "0");

/**
 * What `new Date(time).toISOString()` gives. V8 looks up the local time zone for that, although it is not in
 * the text, and finding out which one it is takes 0.7 ms of a process's first run.
 *
 * @param time - milliseconds since 1970
 * @throws RangeError for what is no time
 */
export function isoTime(time: number): string {
  const second = Math.floor(time / 1000);
  if (second === last.second) return flat(`${last.text}${padded(Math.trunc(time) - second * 1000, 3)}Z`);
  const date = new Date(time);
  const year = date.getUTCFullYear();
  // other years have more characters, and what is no time has none
  if (!(year >= 0 && year <= 9999)) return date.toISOString();
  const day = `${padded(year, 4)}-${padded(date.getUTCMonth() + 1)}-${padded(date.getUTCDate())}`;
  const minute = `${padded(date.getUTCHours())}:${padded(date.getUTCMinutes())}`;
  const text = `${day}T${minute}:${padded(date.getUTCSeconds())}.`;
  if (time > 0) {
    last.second = second;
    last.text = flat(text);
  }
  return flat(`${text}${padded(date.getUTCMilliseconds(), 3)}Z`);
}

/** The last second that was written out, up to its milliseconds: a process mostly writes the present one. */
const last = { second: Number.NaN, text: "" };
