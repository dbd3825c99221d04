import pc from "picocolors";
import { EXIT } from "../errors.ts";
import { json as printed } from "./json.ts";

/** Results go to stdout; what a command says about its own doing goes to stderr. */
export interface Output {
  readonly json: boolean;
  /** A result for people; nothing with `--json`. */
  line(text?: string): void;
  /** A result for programs: one JSON value on one line; nothing without `--json`. */
  data(value: unknown): void;
  /** Progress, for people, also while stdout is read by a program. */
  note(text: string): void;
}

export function createOutput(json: boolean): Output {
  return {
    json,
    line: (text = "") => {
      if (!json) process.stdout.write(`${text}\n`);
    },
    data: (value) => {
      if (json) process.stdout.write(`${printed(value)}\n`);
    },
    note: (text) => {
      process.stderr.write(`${pc.dim(text)}\n`);
    },
  };
}

/**
 * Whoever reads our output may stop reading (`skein show x | head`): that is not an error. What it
 * cannot be written to for another reason (a full disk) is one line, and no stack.
 */
export function toleratePipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
      if (stream === process.stdout)
        process.stderr.write(`skein: The output cannot be written: ${error.message}\n`);
      process.exit(EXIT.failed);
    });
  }
}
