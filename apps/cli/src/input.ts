import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { BadInput } from "./errors.ts";
import { printable } from "./ui/format.ts";

/** The absolute path of an existing folder. @throws BadInput */
export async function requireFolder(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined);
  if (!info) throw new BadInput(`There is no folder "${path}"; give an existing one with --dir.`);
  if (!info.isDirectory()) throw new BadInput(`"${path}" is a file; give a folder with --dir.`);
  await access(path, constants.R_OK | constants.X_OK).catch((error: unknown) => {
    throw new BadInput(`You may not read the folder "${path}"; give another one with --dir.`, {
      cause: error,
    });
  });
  return resolve(path);
}

/** Beyond it nobody reads a list of threads. */
const LONGEST_ID = 200;

/**
 * The id of a new thread: it is printed, typed and pasted.
 *
 * @throws BadInput for one that is empty, too long, or that a line cannot show
 */
export function requireNewId(id: string, option: string): string {
  if (id.trim() === "" || printable(id) !== id || /[\n\t]/.test(id))
    throw new BadInput(`${option} takes an id on one line that is not empty.`);
  if (id.length > LONGEST_ID)
    throw new BadInput(`${option} takes an id of at most ${LONGEST_ID} characters.`);
  return id;
}
