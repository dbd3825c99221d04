import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { BadInput } from "./errors.ts";

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
