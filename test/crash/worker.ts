import { writeSync } from "node:fs";
import { GraphError } from "@skein/errors";
import { Boundaries, openCounted, type Served } from "./counted.ts";
import { crashProgram, runTo } from "./program.ts";

/**
 * The process that is killed: `worker STORE THREAD TURNS [BOUNDARY [VICTIM]]`. It says, in lines on
 * stdout, what is safe by now. At the boundary it kills itself, or the process that is named; if it
 * comes to its end, it says how many boundaries there were.
 */
const [store, thread, turns, boundary, victim = process.pid] = process.argv.slice(2) as [
  string,
  string,
  string,
  string | undefined,
  string | undefined,
];
const say = (line: string): void => void writeSync(1, `${line}\n`);
const served: Served = new Set();
const boundaries = new Boundaries(boundary === undefined ? undefined : Number(boundary), () => {
  for (const id of [Number(victim), ...served]) process.kill(id, "SIGKILL");
});

async function work(): Promise<void> {
  try {
    const saver = openCounted(store, boundaries, served);
    await saver.setup();
    say(`ready ${boundaries.passed}`);
    const graph = crashProgram(saver, { started: (task, count) => say(`started ${task} ${count}`) });
    await runTo(graph, thread, Number(turns), (task) => say(`finished ${task}`));
    say(`boundaries ${boundaries.passed}`);
    await saver.close();
  } catch (error) {
    // a storage that went away is said so, and nothing else goes wrong
    if (!GraphError.is(error) || error.code !== "STORAGE_UNAVAILABLE") throw error;
    process.exit(3);
  }
}

void work();
