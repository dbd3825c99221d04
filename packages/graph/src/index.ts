// What this entry point has more than "./web": the storage through which `interrupt()`, `getStore()`,
// tasks and nested model calls find the run that they are part of, and signals that Node makes at little cost.
// New exports belong in web.ts.
import "./task/async-storage.ts";
import "./task/node-signals.ts";
import "./task/run-tree-members.ts";

export * from "./web.ts";
