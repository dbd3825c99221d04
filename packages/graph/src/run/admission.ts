import type { RunnableConfig } from "@langchain/core/runnables";
import type { Awaitable } from "@skein/checkpointer";
import { reasonOf, unlessAborted } from "./abort.ts";
import type { RunOptions } from "./run.ts";
import type { Session } from "./storage.ts";

/** Asked whether a run may begin on a thread, once the run holds it and before anything of it is stored. */
export interface Admission {
  readonly threadId: string;
  /** Throws, or rejects, to refuse the run. */
  readonly ask: () => Awaitable<void>;
}

const ADMISSION = Symbol("skein.admission");

/** Those that were asked: graphs that the run calls find theirs in their config, too. */
const asked = new WeakSet<Admission>();

/** A config whose run asks, once. */
export function withAdmission<C extends RunnableConfig>(config: C, admission: Admission): C {
  return { ...config, configurable: { ...config.configurable, [ADMISSION]: admission } };
}

/** A run that is refused, or stopped meanwhile, gives its thread back. */
export function admitted(options: RunOptions, session: Session | undefined): Awaitable<void> {
  const { config, threadId } = options;
  const admission = (config.configurable as { [ADMISSION]?: Admission } | undefined)?.[ADMISSION];
  if (admission === undefined || asked.has(admission) || admission.threadId !== threadId) return undefined;
  asked.add(admission);
  return asking(admission, options, session);
}

async function asking(
  { ask }: Admission,
  { signal }: RunOptions,
  session: Session | undefined,
): Promise<void> {
  try {
    await unlessAborted(ask(), signal);
    if (signal?.aborted === true) throw reasonOf(signal);
  } catch (error) {
    await session?.release();
    throw error;
  }
}
