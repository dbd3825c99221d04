/** How this program was started, so that a command we print can be pasted as it stands. */
export function commandLine(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`));
  if (process.env["npm_lifecycle_event"] === "start") return ["npm start --", ...quoted].join(" ");
  return ["skein", ...quoted].join(" ");
}
