import { Worker } from "node:worker_threads";
import type { WebResult } from "./entry.ts";

/** What Node's globals have more than those of a browser. */
const NODES = [
  "process",
  "Buffer",
  "global",
  "require",
  "module",
  "exports",
  "setImmediate",
  "clearImmediate",
  "__filename",
  "__dirname",
];

const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
for (const name of workerData.nodes) delete globalThis[name];
(0, eval)(workerData.script);
const nodes = workerData.nodes.filter((name) => name in globalThis);
runScenarios(workerData.themes, workerData.synchronous).then(
  (results) => parentPort.postMessage({ nodes, results }),
  (error) => parentPort.postMessage({ nodes, failed: String(error?.stack ?? error) }),
);
`;

export interface BareRun {
  /** Globals of Node's that were there all the same. */
  readonly nodes: readonly string[];
  readonly results: readonly WebResult[];
}

/** Runs the bundled scenarios in a thread that has only what a browser has, as far as the engine can see. */
export async function runBare(
  script: string,
  themes: readonly string[],
  synchronous = false,
): Promise<BareRun> {
  const workerData = { script, themes, synchronous, nodes: NODES };
  const worker = new Worker(PROGRAM, { eval: true, workerData });
  try {
    return await new Promise((resolve, reject) => {
      worker.once("error", reject);
      worker.once("message", (answer: BareRun & { failed?: string }) => {
        if (answer.failed === undefined) resolve(answer);
        else reject(new Error(answer.failed));
      });
    });
  } finally {
    await worker.terminate();
  }
}
