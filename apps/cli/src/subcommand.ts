import { InvalidArgumentError, Option, type Command } from "commander";
import { DEFAULT_DB } from "./options.ts";
import type { ConversationFormat } from "./replay/formats.ts";
import { BadInput } from "./errors.ts";
import { silently, typedPath } from "./ui/invocation.ts";

/** Told how a command ended. */
export type Ended = (code: number) => void;

/** A subcommand with the options that all have. Subcommands take over how errors are reported. */
export function command(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .copyInheritedSettings(program)
    .description(description)
    .option("--db <path>", "SQLite database of the threads", databasePath, DEFAULT_DB)
    .option("--json", `write JSON, for programs${silently()}`, false);
}

/**
 * A path that is no address: it would be taken for folders, whose names hold the password. What was given is
 * not repeated.
 *
 * @throws BadInput
 */
export function databasePath(path: string): string {
  const scheme = /^[a-z][a-z\d+.-]+:\/\//i.exec(path)?.[0];
  if (scheme === undefined) return typedPath(path);
  throw new BadInput(
    `This command keeps threads in SQLite and takes the path of a file, not a ${scheme} address. Programs have PostgresSaver for PostgreSQL.`,
  );
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError("It must be a whole number above 0.");
  return value;
}

/** How recorded conversations are written. */
export function formatOption(): Option {
  const formats: readonly ConversationFormat[] = ["recorded", "openai", "anthropic", "grouped"];
  return new Option(
    "--format <format>",
    "how conversations are written: Skein's way, OpenAI's, Anthropic's, or with several results in one message (default: as they look)",
  ).choices(formats);
}

/** What becomes of the system messages of recorded conversations. */
export function systemOption(): Option {
  const policies = ["external", "keep-first", "keep-in-place"];
  return new Option("--system <policy>", "system messages of conversations: outside of the thread, or in it")
    .choices(policies)
    .default("external");
}
