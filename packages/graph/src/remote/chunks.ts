import { RemoteException } from "../errors/errors.ts";
import { GraphInterrupt, type Interrupt } from "../errors/signals.ts";
import { INTERRUPT } from "../ids/names.ts";
import type { StreamMode } from "../stream/modes.ts";

/** An event of a run as the SDK gives it. */
export interface RemoteEvent {
  readonly event: string;
  readonly data?: unknown;
}

/** An event taken apart: `updates|node:id` is an update of a graph that the node called. */
export interface RemoteChunk {
  readonly mode: string;
  readonly namespace: readonly string[];
  readonly data: unknown;
}

/** @throws RemoteException when the event says that the run failed */
export function chunkOf({ event, data }: RemoteEvent): RemoteChunk {
  const [mode = "", ...namespace] = event.split("|");
  if (mode === "error") {
    throw new RemoteException(typeof data === "string" ? data : JSON.stringify(data), {
      details: typeof data === "object" && data !== null ? { ...data } : {},
    });
  }
  return { mode, namespace, data };
}

/** The questions of a run, by their ids: nested graphs and the graphs around them tell the same ones. */
export class Questions {
  #asked = false;
  readonly #interrupts = new Map<unknown, Interrupt>();

  /** Whether the chunk told one. A breakpoint is one without interrupts. */
  take({ mode, data }: RemoteChunk): boolean {
    if (mode !== "updates" || typeof data !== "object" || data === null) return false;
    const told = (data as Record<string, unknown>)[INTERRUPT];
    if (told === undefined) return false;
    this.#asked = true;
    for (const interrupt of Array.isArray(told) ? (told as Interrupt[]) : []) {
      this.#interrupts.set(interrupt.id ?? interrupt, interrupt);
    }
    return true;
  }
  get asked(): boolean {
    return this.#asked;
  }
  signal(): GraphInterrupt {
    return new GraphInterrupt([...this.#interrupts.values()]);
  }
}

/** What a caller wants to see, and what the server must send for it. */
export interface Wanted {
  readonly modes: readonly StreamMode[];
  /** Chunks carry their mode. */
  readonly several: boolean;
  /** Chunks carry their namespace, and those of nested graphs come, too. */
  readonly subgraphs: boolean;
}

export function wantedBy(streamMode: StreamMode | StreamMode[] | undefined, subgraphs: boolean): Wanted {
  if (Array.isArray(streamMode) && streamMode.length > 0) {
    return { modes: streamMode, several: true, subgraphs };
  }
  const single = typeof streamMode === "string" ? streamMode : "updates";
  return { modes: [single], several: false, subgraphs };
}

/** Modes under the server's names; `updates` always, since they tell of questions. */
export function requested(modes: Iterable<StreamMode>): string[] {
  const all = new Set<string>([...modes, "updates"]);
  return [...all].map((mode) => (mode === "messages" ? "messages-tuple" : mode));
}
