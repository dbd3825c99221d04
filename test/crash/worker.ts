import { writeSync } from "node:fs";
import { GraphError } from "@skein/errors";
import type { Durability } from "@skein/graph";
import { Boundaries, openCounted, type Served } from "./counted.ts";
import { crashProgram, runTo } from "./program.ts";

/**
 * The process that is killed: `worker STORE THREAD TURNS DURABILITY [BOUNDARY [VICTIM]]`. It says, in lines
 * on stdout, what is safe by now. At the boundary it kills itself, or the process that is named; if it
 * comes to its end, it says how many boundaries there were.
 */
const [store, thread, turns, durability, boundary, victim = process.pid] = process.argv.slice(2) as [
  string,
  string,
  string,
  Durability,
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
    // not sync: of a turn that goes on nothing is promised
    const promise = durability === "sync" ? say : () => {};
    const graph = crashProgram(saver, { started: (task, count) => promise(`started ${task} ${count}`) });
    await runTo(graph, thread, Number(turns), {
      durability,
      finished: (task) => promise(`finished ${task}`),
      ended: (turn) => say(`ended ${turn}`),
    });
    say(`boundaries ${boundaries.passed}`);
    await saver.close();
  } catch (error) {
    // a storage that went away is said so, and nothing else goes wrong
    if (!GraphError.is(error) || error.code !== "STORAGE_UNAVAILABLE") throw error;
    process.exit(3);
  }
}

void work();
