import { near } from "@skein/errors/near";

/** Most names that a process is warned of. */
const WARNINGS = 100;

/** What was said once; nothing of a run (I9). */
const told = new Set<string>();

/** The known name that is meant, if it is clear which, and the words to say so. */
export function misspelt(
  of: string,
  name: string,
  known: readonly string[],
): { readonly meant: string; readonly text: string } | undefined {
  const meant = near(name, known);
  if (meant === undefined) return undefined;
  return { meant, text: `${of} has no option "${name}"; the nearest one that it has is "${meant}".` };
}

/** Says once that an option has no effect; on the console where there is no process, as in a browser. */
export function warnOfMisspelt(text: string): void {
  if (told.size >= WARNINGS || told.has(text)) return;
  told.add(text);
  const warning = `${text} What it says is passed over.`;
  const { process } = globalThis as { process?: Partial<Pick<NodeJS.Process, "emitWarning">> };
  if (process?.emitWarning === undefined) console.warn(warning);
  else process.emitWarning(warning, { type: "SkeinWarning", code: "SKEIN_UNKNOWN_OPTION" });
}
