import { createRequire } from "node:module";
import { join } from "node:path";
import { GraphError } from "@skein/errors";

/** Of a driver, for the error that says it is not there. */
export interface DriverUse {
  /** What needs it, as `SqliteSaver.fromConnString`. */
  readonly by: string;
  /** What can be done without it, as `pass a pool to the constructor`. */
  readonly or: string;
}

/**
 * Loads a driver when it is first needed.
 *
 * @throws GraphError STORAGE_UNAVAILABLE when it is not installed, or fails to load
 */
export function loadDriver<Driver>(name: "libsql" | "pg", { by, or }: DriverUse): Driver {
  // a program that was bundled to CommonJS has no URL here: its packages are where it runs
  const from = import.meta.url || join(process.cwd(), "index.js");
  try {
    return createRequire(from)(name) as Driver;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const [reason = ""] = message.split("\n");
    // a driver's own binary may be what is missing
    const isMissing = code === "MODULE_NOT_FOUND" && reason.includes(`'${name}'`);
    const why = isMissing ? "" : `, which did not load (${reason})`;
    throw new GraphError(
      "STORAGE_UNAVAILABLE",
      `${by} needs the package "${name}"${why}. Install it (npm install ${name}), or ${or}.`,
      { cause },
    );
  }
}
