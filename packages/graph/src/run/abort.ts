/** What Node gives a program that cannot import its modules (so that the engine runs elsewhere too). */
interface NodeProcess {
  getBuiltinModule?(name: "node:events"): { readonly setMaxListeners: SetMaxListeners };
}

type SetMaxListeners = (limit: number, ...targets: EventTarget[]) => void;

/** Looked up once: each look-up takes as long as making a signal. */
const setMaxListeners: SetMaxListeners | undefined = (
  globalThis as { process?: NodeProcess }
).process?.getBuiltinModule?.("node:events").setMaxListeners;

/** Ends a run. Its signal is made when somebody asks for it, which most runs get by without. */
export class RunAbort {
  aborted = false;
  #reason: unknown;
  #controller: AbortController | undefined;

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
  get signal(): AbortSignal {
    return (this.#controller ??= this.#make()).signal;
  }
  /**
   * All tasks of a superstep listen to the one signal, and tools add listeners of their own, so Node's
   * warning above ten of them would be noise.
   */
  #make(): AbortController {
    const controller = new AbortController();
    setMaxListeners?.(0, controller.signal);
    if (this.aborted) controller.abort(this.#reason);
    return controller;
  }
}
