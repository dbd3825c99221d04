import { basename, relative, resolve } from "node:path";
import { DEFAULT_DB } from "../options.ts";

/** A command that starts this program the way it was started, to be pasted as it stands. */
export function commandLine(args: readonly string[], db = DEFAULT_DB): string {
  return [...program(), ...args, ...given("--db", db, DEFAULT_DB)].map(quote).join(" ");
}

/**
 * A path as the user means it. `npm start` runs in the root of the repository, wherever it was typed:
 * npm says where that was.
 */
export function typedPath(path: string): string {
  const typedIn = process.env["npm_lifecycle_event"] === "start" ? process.env["INIT_CWD"] : undefined;
  return path === "" || typedIn === undefined || typedIn === process.cwd() ? path : resolve(typedIn, path);
}

const given = (option: string, value: string, usual: string): string[] =>
  value === usual ? [] : [option, value];

/** The command that goes on with a thread. Options that have their usual value are left out. */
export function chatCommand(
  thread: string,
  { db, dir = "." }: { readonly db: string; readonly dir?: string },
): string {
  return commandLine(
    ["chat", "--thread", thread, ...(resolve(dir) === process.cwd() ? [] : ["--dir", dir])],
    db,
  );
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
