import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

/**
 * Runs the script beside it. The first run that comes to its end leaves behind what V8 compiled in it,
 * and later ones begin with that: half of the time that is left of a start.
 */
const filename = join(__dirname, "program.cjs");
const compiled = join(__dirname, "program.compiled");

const cachedData = existsSync(compiled) ? readFileSync(compiled) : undefined;
// esbuild writes ASCII
const text = `(require, module) => {${readFileSync(filename, "latin1")}\n}`;
const script = new Script(text, { filename, ...(cachedData && { cachedData }) });
const program = script.runInThisContext() as (require: NodeJS.Require, module: { exports: unknown }) => void;
program(require, { exports: {} });

if (cachedData === undefined) {
  process.on("exit", () => {
    // whole or not at all: others may start meanwhile
    writeFileSync(`${compiled}.${process.pid}`, script.createCachedData());
    renameSync(`${compiled}.${process.pid}`, compiled);
  });
}
