import { GraphError, type ErrorDetails } from "@skein/errors";
import { INPUT, TASKS } from "../base/checkpoint.ts";
import type { Codec, Reference } from "./types.ts";

/** Keys from a value's root to what is refused in it. */
export type Path = readonly (string | number)[];

/** A path may be as long as the limit of nesting; a message shows its first keys. */
const SHOWN = 8;

export function unstorable(path: Path, what: string, cause?: unknown): GraphError {
  const place = path.length === 0 ? "The value" : `"${printed(path)}"`;
  return new GraphError(
    "UNSTORABLE_VALUE",
    `${place} holds ${what}, which cannot be stored. Keep it out of the state, give the object that holds it a toJSON method, or make the channel an UntrackedValue.`,
    { details: { path }, ...(cause !== undefined && { cause }) },
  );
}

export function tooDeep(whole: Path, maxDepth: number): GraphError {
  const path = whole.slice(0, SHOWN);
  return new GraphError(
    "VALUE_TOO_DEEP",
    `The value at "${printed(path)}..." is nested more than ${maxDepth} levels deep. Flatten it before it is put into the state.`,
    { details: { maxDepth, path } },
  );
}

/** @param length - characters of text that were written, or would have been, when it was refused */
export function tooLarge(whole: Path, length: number, maxLength: number): GraphError {
  const path = whole.slice(0, SHOWN);
  return new GraphError(
    "VALUE_TOO_LARGE",
    `A value takes ${length} characters and more${path.length === 0 ? "" : ` (at "${printed(path)}")`}, ` +
      `and at most ${maxLength} are stored. Keep it outside the state (a file, a store) and put a reference into the state.`,
    { details: { length, maxLength, path } },
  );
}

/** The text of what stands in a channel. @throws GraphError as the codec does, with the channel's name */
export function encodeIn(channel: string, codec: Codec, value: unknown, reference?: Reference): string {
  try {
    return codec.encode(value, reference);
  } catch (error) {
    throw inChannel(channel, error);
  }
}

/** An error of encoding an element of a list, with its place in the list; others as they are. */
export function inElement(at: number, error: unknown): unknown {
  return placed(error, `element ${at}`, (path) => ({ path: [at, ...path] }));
}

/** What stands in channels that no program has named. */
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ["__interrupt__", "The value of an interrupt"],
  ["__resume__", "The answer to an interrupt"],
  [TASKS, "A Send"],
]);

/**
 * An error of encoding what stands in a channel, with its name; others as they are, and those of an input, whose
 * path begins with it.
 */
export function inChannel(channel: string, error: unknown): unknown {
  if (channel === INPUT) return error;
  const special = SPECIAL.get(channel);
  return placed(error, special ?? `Channel "${channel}"`, () => (special === undefined ? { channel } : {}));
}

/** An error that says where in a value something is, with where the value is; others as they are. */
function placed(error: unknown, place: string, added: (path: Path) => ErrorDetails): unknown {
  if (!GraphError.is(error) || !("path" in error.details)) return error;
  const { code, message, details, cause = error } = error;
  const more = added(details["path"] as Path);
  return new GraphError(code, `${place}: ${message}`, { details: { ...details, ...more }, cause });
}

function printed(path: Path): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
    .join("")
    .replace(/^\./u, "");
}
