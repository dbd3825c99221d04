import { readFileSync } from "node:fs";
import { openTarget } from "./support/target.ts";

/**
 * Imports a thread under several ids at once, and kills itself when so many of its lines were read:
 * `importer.ts FILE DATABASE LINES ID...`.
 */
// two queries at once on one connection, which pg 9 refuses
process.throwDeprecation = true;
const [file, target, count, ...ids] = process.argv.slice(2) as [string, string, string, ...string[]];
const lines = readFileSync(file, "utf8").split("\n").slice(0, Number(count));
let waiting = 0;

async function* partly(): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`;
  waiting += 1;
  if (waiting === ids.length) process.kill(process.pid, "SIGKILL");
  await new Promise(() => {});
}

const saver = openTarget(target);
for (const as of ids) void saver.importThread(partly(), { as });
setInterval(() => {}, 60_000);
