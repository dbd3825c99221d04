import { abortAndTell } from "../task/abort.ts";

/** What Node gives a program that cannot import its modules (so that the engine runs elsewhere too). */
interface NodeProcess {
  getBuiltinModule?(name: "node:events"): { readonly setMaxListeners: SetMaxListeners };
}

type SetMaxListeners = (limit: number, ...targets: EventTarget[]) => void;

/** Looked up once: each look-up takes as long as making a signal. */
const setMaxListeners: SetMaxListeners | undefined = (
  globalThis as { process?: NodeProcess }
).process?.getBuiltinModule?.("node:events").setMaxListeners;

/** Where Node keeps how many listeners are too many for a signal; null where it is not to be found. */
let limit: symbol | null | undefined;

/** By what `setMaxListeners` changes. Setting that takes a tenth of its time, which is a third of a signal's. */
function findLimit(set: SetMaxListeners): symbol | null {
  const { signal } = new AbortController();
  const members = signal as unknown as Record<symbol, unknown>;
  const before = new Map(Object.getOwnPropertySymbols(signal).map((key) => [key, members[key]]));
  set(0, signal);
  const changed = [...before].filter(([key, value]) => members[key] !== value);
  const [key] = changed.length === 1 ? (changed[0] as [symbol, unknown]) : [];
  return key !== undefined && members[key] === 0 ? key : null;
}

function unlimited(signal: AbortSignal): void {
  if (setMaxListeners === undefined) return;
  limit ??= findLimit(setMaxListeners);
  if (limit === null) setMaxListeners(0, signal);
  else (signal as unknown as Record<symbol, unknown>)[limit] = 0;
}

/** Ends a run. Its signal is made when somebody asks for it, which most runs get by without. */
export class RunAbort {
  aborted = false;
  #reason: unknown;
  #controller: AbortController | undefined;

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#reason = reason;
    if (this.#controller !== undefined) abortAndTell(this.#controller, reason);
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
    unlimited(controller.signal);
    if (this.aborted) abortAndTell(controller, this.#reason);
    return controller;
  }
}
