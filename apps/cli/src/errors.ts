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
  constructor(cause: unknown) {
    super(oneLine(cause) + codeOf(cause), { cause });
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
