/** What Node gives a program that cannot import its modules (so that the engine runs elsewhere too). */
interface NodeProcess {
  getBuiltinModule?(name: "node:events"): { setMaxListeners(limit: number, ...targets: EventTarget[]): void };
}

/**
 * The controller that ends a run. All tasks of a superstep listen to its one signal, and tools add
 * listeners of their own, so Node's warning above ten of them would be noise.
 */
export function runController(): AbortController {
  const controller = new AbortController();
  const { process } = globalThis as { process?: NodeProcess };
  process?.getBuiltinModule?.("node:events").setMaxListeners(0, controller.signal);
  return controller;
}
