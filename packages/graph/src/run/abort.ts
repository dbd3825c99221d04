import type { Awaitable } from "@skein/checkpointer";
import { abortAndTell, abortSource, type AbortSource } from "../task/abort.ts";
import { nextTurn } from "./breathe.ts";

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

/** Why a call was aborted, as an error. */
export function reasonOf({ reason }: AbortSignal): Error {
  // words are what LangChain makes of such reasons
  if (reason instanceof Error) return reason;
  return new Error(typeof reason === "string" ? reason : "Aborted", { cause: reason });
}

/**
 * Waits, but no longer than until the signal is aborted: then its reason is thrown, and what comes
 * late goes to `late`. For what only reads: a write that was begun is waited for.
 */
export function unlessAborted<T>(
  awaited: Awaitable<T>,
  signal: AbortSignal | undefined,
  late?: (value: T) => unknown,
): Awaitable<T> {
  if (signal === undefined || !(awaited instanceof Promise)) return awaited;
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => {
      reject(reasonOf(signal));
      // nobody is there any more to be told that it failed
      if (late !== undefined) awaited.then(late).catch(() => {});
    };
    signal.addEventListener("abort", giveUp, { once: true });
    void awaited.then(resolve, reject).then(() => signal.removeEventListener("abort", giveUp));
    if (signal.aborted) giveUp();
  });
}

/** The same at the end of a run. One that was aborted before goes on as it ended, after a turn of the event loop. */
export async function inTheEnd(awaited: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) await Promise.race([awaited, nextTurn()]);
  else await unlessAborted(awaited, signal);
}

/** Ends a run. Its signal is made when somebody asks for it, which most runs get by without. */
export class RunAbort {
  aborted = false;
  #reason: unknown;
  #source: AbortSource | undefined;

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#reason = reason;
    if (this.#source !== undefined) abortAndTell(this.#source, reason);
  }
  get signal(): AbortSignal {
    return (this.#source ??= this.#make()).signal;
  }
  /**
   * All tasks of a superstep listen to the one signal, and tools add listeners of their own, so Node's
   * warning above ten of them would be noise.
   */
  #make(): AbortSource {
    const source = abortSource();
    unlimited(source.signal);
    if (this.aborted) abortAndTell(source, this.#reason);
    return source;
  }
}
