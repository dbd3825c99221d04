import { GraphError, type ErrorCode } from "@skein/errors";
import { printable } from "./ui/format.ts";

/** How a command ended, as an exit code. */
export const EXIT = { ok: 0, failed: 1, badInput: 2 } as const;

/** Something the user gave cannot be used. One line: what is wrong and what to do. Nothing was changed. */
export class BadInput extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BadInput";
  }
}

/** What ended a command that had changed something: then it is a failure, also where it is bad input. */
export class EndedHalfway extends Error {
  /** @param done - what was changed, and what is left to do. Default: the cause says it */
  constructor(cause: unknown, done?: string) {
    super((done === undefined ? "" : `${done} `) + oneLine(cause) + codeOf(cause), { cause });
    this.name = "EndedHalfway";
  }
}

/** Codes that mean: what was given, or the file it names, is not usable. */
const INPUT_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "UNKNOWN_THREAD",
  "UNKNOWN_CHECKPOINT",
  "INVALID_CONFIGURATION",
  "INVALID_INPUT",
  "INVALID_MESSAGE",
  "THREAD_CONFLICT",
  "STORAGE_NEWER",
  "STORAGE_CORRUPT",
  "STORAGE_UNAVAILABLE",
]);

export function exitCodeOf(error: unknown): number {
  if (error instanceof BadInput) return EXIT.badInput;
  return GraphError.is(error) && INPUT_CODES.has(error.code) ? EXIT.badInput : EXIT.failed;
}

/** What scripts look for and people look up: each code has a page in docs/errors. */
export function codeOf(error: unknown): string {
  return GraphError.is(error) ? ` (${error.code})` : "";
}

/** Errors that advise an option of the library, which a command's user cannot set: with advice for a command. */
export function advised(error: unknown): unknown {
  if (!GraphError.is(error)) return error;
  const { code, details } = error;
  if (code === "STORAGE_UNAVAILABLE" && details["option"] === "alongside") {
    const { path, tables } = details as { readonly path: string; readonly tables: readonly string[] };
    const message =
      `The database "${path}" belongs to another program: it has ${tables.length} tables (${tables.slice(0, 3).join(", ")} ...) and none of ours. ` +
      "Nothing was changed. Give another path with --db.";
    return new GraphError(code, message, { details: { path, tables }, cause: error });
  }
  if (code === "THREAD_CONFLICT" && details["option"] === "onConflict") {
    const { threadId } = details as { readonly threadId: string };
    const message = `Thread "${threadId}" is busy: another program works on it. Nothing was done. Try again when that has ended its turn.`;
    return new GraphError(code, message, { details: { threadId }, cause: error });
  }
  return error;
}

/** One line, whatever was thrown. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? (error.message || error.name) + unsaid(error) : String(error);
  return printable(text.replace(/\s*\n\s*/g, " ")).trim();
}

/** "fetch failed" is all that Node says of a server that cannot be reached; which one stands in the cause. */
function unsaid({ message, cause }: Error): string {
  if (message !== "fetch failed" || !(cause instanceof Error)) return "";
  const why = cause.message || (cause as NodeJS.ErrnoException).code;
  return why ? `: ${why}` : "";
}
