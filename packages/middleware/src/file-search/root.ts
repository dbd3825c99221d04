import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { GraphError } from "@skein/errors";
import { refused } from "../shared/checks.ts";
import { loadedOnce } from "../shared/loaded-once.ts";

/**
 * A folder that nothing leads out of. Paths of the model are as if the folder were the whole disk:
 * `/src/a.ts`, or the same without the slash.
 *
 * What is checked is where a path ends after all symbolic links. Somebody else who swaps a folder for
 * a link between the check and the reading is not kept out; then run in a container.
 */
export class Root {
  /** Where the folder is after all links. */
  readonly real: () => Promise<string>;

  constructor(path: string) {
    this.real = loadedOnce(() =>
      realpath(path).catch((cause: unknown) => {
        throw new GraphError("INVALID_CONFIGURATION", `rootPath "${path}" is not there.`, { cause });
      }),
    );
  }

  /** The real path of something inside. @throws GraphError INVALID_INPUT for what is outside or not there */
  async inside(path: string): Promise<string> {
    const root = await this.real();
    let real: string;
    try {
      real = await realpath(join(root, path.replaceAll("\\", "/")));
    } catch {
      throw refused(`There is no "${path}".`);
    }
    if (real !== root && !isInside(root, real))
      throw refused(`"${path}" is outside of the folder that can be searched.`);
    return real;
  }

  /** Whether a file that was found is really inside. */
  async holds(file: string): Promise<boolean> {
    try {
      return isInside(await this.real(), await realpath(file));
    } catch {
      return false;
    }
  }

  /** How the model is told of a file. */
  async shown(file: string): Promise<string> {
    return `/${relative(await this.real(), file)
      .split(sep)
      .join("/")}`;
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
