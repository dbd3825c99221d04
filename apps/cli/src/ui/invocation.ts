import { basename, relative } from "node:path";

/** A command that starts this program the way it was started, to be pasted as it stands. */
export function commandLine(args: readonly string[]): string {
  return [...program(), ...args].map(quote).join(" ");
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
