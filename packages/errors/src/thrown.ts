import { shown } from "./shown.ts";

/**
 * The text of what was thrown, which may be anything: an object without a prototype has none.
 *
 * @example
 * thrownText(new TypeError("no")); // TypeError: no
 * thrownText(Object.create(null)); // an object
 */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return shown(thrown);
  }
}

/**
 * What an error says, and what only looks like one: packages throw plain objects, and an error of
 * another realm (a `vm` context, a frame) is no `Error` of this one. The text of anything else.
 *
 * @example
 * thrownMessage({ message: "slow down" }); // slow down
 */
export function thrownMessage(thrown: unknown): string {
  try {
    const { message } = (thrown ?? {}) as { readonly message?: unknown };
    return typeof message === "string" ? message : thrownText(thrown);
  } catch {
    return thrownText(thrown);
  }
}
