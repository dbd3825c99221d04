import type { RunnableConfig } from "@langchain/core/runnables";
import type { Awaitable } from "@skein/checkpointer";
import { reasonOf, unlessAborted } from "./abort.ts";
import { changeSetsOf } from "./change-set-session.ts";
import { giveBack } from "./give-back.ts";
import { claimAround, type RunOptions } from "./run.ts";
import type { Session } from "./storage.ts";

/** Asked whether a run may begin on a thread, once the run holds it and before anything of it is stored. */
export interface Admission {
  readonly threadId: string;
  /** Throws, or rejects, to refuse the run. Of a thread of which nothing is stored it is asked twice. */
  readonly ask: () => Awaitable<void>;
}

const ADMISSION = Symbol("skein.admission");

/**
 * A config whose run asks whether it may begin: the first run on the thread that the admission names, be it
 * of a graph that a node calls. What was thrown to refuse the run is what its caller gets, nothing of the
 * run is stored, and a thread that there was not is not made. The config is for one call.
 *
 * @example
 * const ask = async () => {
 *   if (await isClosed("1")) throw new Error("This conversation is closed.");
 * };
 * await graph.invoke(input, withAdmission({ configurable: { thread_id: "1" } }, { threadId: "1", ask }));
 */
export function withAdmission<C extends RunnableConfig>(config: C, admission: Admission): C {
  return { ...config, configurable: { ...config.configurable, [ADMISSION]: new Asking(admission) } };
}

/** Who is to be asked whether a run may begin. What it does is no part of a program that has no admissions. */
export function admissionOf({ config, threadId }: RunOptions): Asking | undefined {
  return (config.configurable as { [ADMISSION]?: Asking })[ADMISSION]?.of(threadId);
}

class Asking {
  readonly #admission: Admission;
  /** Graphs that the run calls find it in their config, too. */
  #isDone = false;

  constructor(admission: Admission) {
    this.#admission = admission;
  }
  of(threadId: string | undefined): this | undefined {
    return this.#isDone || this.#admission.threadId !== threadId ? undefined : this;
  }
  /**
   * Opens a session for who is admitted. A run that is refused, or stopped meanwhile, gives its thread back.
   *
   * @param open - takes the thread
   */
  async admit(options: RunOptions, open: () => Awaitable<Session | undefined>): Promise<Session | undefined> {
    if (await this.#makesThread(options)) await this.#ask(options);
    const session = await open();
    this.#isDone = true;
    try {
      await this.#ask(options);
    } catch (error) {
      await giveBack(session);
      throw error;
    }
    return session;
  }
  /** Taking a thread makes it, and who is refused is to leave nothing. */
  async #makesThread(options: RunOptions): Promise<boolean> {
    const { saver, signal } = options;
    const sets = saver && changeSetsOf(saver);
    // under the claim of the graph around it the run takes nothing
    if (sets === undefined || claimAround(options) !== undefined) return false;
    const address = { threadId: this.#admission.threadId, namespace: "" };
    const { headId } = await unlessAborted(sets.open(address), signal);
    return headId === undefined;
  }
  async #ask({ signal }: RunOptions): Promise<void> {
    await unlessAborted(this.#admission.ask(), signal);
    if (signal?.aborted) throw reasonOf(signal);
  }
}
