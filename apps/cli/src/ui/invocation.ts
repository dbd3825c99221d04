import { basename, relative } from "node:path";
import { DEFAULT_DB } from "../options.ts";

/** A command that starts this program the way it was started, to be pasted as it stands. */
export function commandLine(args: readonly string[]): string {
  return [...program(), ...args].map(quote).join(" ");
}

const given = (option: string, value: string, usual: string): string[] =>
  value === usual ? [] : [option, value];

/** The command that goes on with a thread. Options that have their usual value are left out. */
export function chatCommand(
  thread: string,
  { db, dir = "." }: { readonly db: string; readonly dir?: string },
): string {
  return commandLine([
    "chat",
    "--thread",
    thread,
    ...given("--dir", dir, "."),
    ...given("--db", db, DEFAULT_DB),
  ]);
}

function program(): string[] {
  if (process.env["npm_lifecycle_event"] === "start") return ["npm", "start", "--"];
  const [, script = ""] = process.argv;
  if (basename(script) === "skein") return ["skein"];
  return ["node", ...process.execArgv, relative(process.cwd(), script)];
}

function quote(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`;
}
