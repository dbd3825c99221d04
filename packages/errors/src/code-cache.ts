import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { threadId } from "node:worker_threads";

// For the builds for Node of our own packages: see docs/decisions/2026-11-24-code-cache.md

/** What a script is: a function of what its module imports, that returns what the module exports. */
type Body = (...imported: never) => Readonly<Record<string, unknown>>;

const writes = process.env["SKEIN_CODE_CACHE"] === "write";
const reads = !writes && process.env["SKEIN_CODE_CACHE"] !== "off";

/**
 * Runs the script of a module with the code cache that lies beside it, if there is one for this very V8. Where
 * others have work to do, the script is an ordinary CommonJS module: a bundler, which leaves no file; a test
 * runner, whose realm has classes of its own; source maps; Node's own compile cache.
 *
 * @param url - of the module
 * @param name - of the script, in the module's folder
 * @param realm - `Object` as the module knows it
 * @param bundled - requires the script: bundlers look for that in the module
 */
export function scriptOf(url: string, name: string, realm: unknown, bundled: () => unknown): Body {
  let file: string;
  try {
    file = fileURLToPath(new URL(name, url));
  } catch {
    return bundled() as Body;
  }
  const text = fileIfAny(file)?.toString("latin1");
  if (text === undefined) return bundled() as Body;
  if (othersWork(realm)) return createRequire(url)(file) as Body;
  const cache = `${file.slice(0, -".cjs".length)}.${process.versions.v8}-${process.arch}.cache`;
  const cachedData = reads ? fileIfAny(cache) : undefined;
  const script = new Script(`(function (module) { ${text}\n})`, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module: { exports?: Body } = {};
  (script.runInThisContext() as (module: object) => void)(module);
  if (writes) leave(script, cache);
  return module.exports as Body;
}

function fileIfAny(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function othersWork(realm: unknown): boolean {
  const { versions, execArgv, env } = process;
  const flag = "--enable-source-maps";
  if (versions["bun"] !== undefined || execArgv.includes(flag) || env["NODE_OPTIONS"]?.includes(flag))
    return true;
  const { sourceMapsEnabled } = process as { sourceMapsEnabled?: boolean };
  return sourceMapsEnabled === true || new Script("Object").runInThisContext() !== realm;
}

/** Scripts whose code is written when the process ends, by the file of their cache. */
const left = new Map<string, Script>();

function leave(script: Script, cache: string): void {
  if (left.size === 0) leaveAtTheEnd();
  left.set(cache, script);
}

/** V8 keeps with a function that its baseline compiler had it, and whoever takes the cache compiles it at once. */
function leaveAtTheEnd(): void {
  const { setFlagsFromString } = createRequire(import.meta.url)("node:v8") as typeof import("node:v8");
  setFlagsFromString("--no-sparkplug");
  process.once("exit", () => {
    // V8 compares flags
    if (!process.execArgv.includes("--no-sparkplug")) setFlagsFromString("--sparkplug");
    for (const [cache, script] of left) {
      const part = `${cache}.${process.pid}-${threadId}`;
      try {
        write(part, script.createCachedData());
        renameSync(part, cache);
      } catch (error) {
        rmSync(part, { force: true });
        console.warn(`SKEIN_CODE_CACHE: no code cache was left: ${(error as Error).message}`);
      }
    }
  });
}

/** On the disk before it gets its name: V8 checks the length of a cache, and not what is in it. */
function write(file: string, data: Buffer): void {
  const handle = openSync(file, "w");
  try {
    writeSync(handle, data);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
