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
  const typedIn = isRunByNpm() ? process.env["INIT_CWD"] : undefined;
  return path === "" || typedIn === undefined || typedIn === process.cwd() ? path : resolve(typedIn, path);
}

const isRunByNpm = (): boolean => process.env["npm_lifecycle_event"] === "start";

/** For the help of what writes to stdout for programs: npm writes there, too, unless it is told not to. */
export const silently = (): string =>
  isRunByNpm() ? "; with npm start --silent, or npm writes there, too" : "";

/** A path as an argument: one that begins with a dash would be taken for an option. */
export const pathArgument = (path: string): string => (path.startsWith("-") ? `./${path}` : path);

const given = (option: string, value: string | undefined, usual?: string): string[] =>
  value === undefined || value === usual ? [] : [option, value];

/** What a chat is started with, as it was given. */
export interface ChatArguments {
  readonly db: string;
  readonly dir?: string | undefined;
  readonly model?: string | undefined;
  readonly preset?: string | undefined;
  readonly approve?: string | undefined;
  readonly offload?: string | undefined;
}

/** The command that goes on with a thread. Options that have their usual value are left out. */
export const chatCommand = (thread: string, chat: ChatArguments): string =>
  commandLine(["chat", "--thread", thread, ...chatOptions(chat)], chat.db);

/** All that decides what the agent sees and may do: whoever pastes the command must not lose any of it. */
export function chatOptions({ dir = ".", model, preset, approve, offload }: ChatArguments): string[] {
  return [
    ...(resolve(dir) === process.cwd() ? [] : ["--dir", dir]),
    ...given("--model", model),
    ...given("--preset", preset),
    ...given("--approve", approve),
    ...given("--offload", offload),
  ];
}

function program(): string[] {
  if (isRunByNpm()) return ["npm", "start", "--"];
  const [, script = ""] = process.argv;
  if (basename(script) === "skein") return ["skein"];
  return ["node", ...process.execArgv, relative(process.cwd(), script)];
}

function quote(arg: string): string {
  if (/^[\w@%+=:,./-]+$/.test(arg)) return arg;
  return /\p{Cc}/u.test(arg) ? escaped(arg) : `'${arg.replaceAll("'", String.raw`'\''`)}'`;
}

/** For bash, zsh and ksh: a control character must reach the program, and not the terminal. */
function escaped(arg: string): string {
  return `$'${arg.replace(/[\\']/g, String.raw`\$&`).replace(/\p{Cc}/gu, inHex)}'`;
}

const inHex = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
