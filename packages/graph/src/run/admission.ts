import type { RunnableConfig } from "@langchain/core/runnables";
import type { Awaitable } from "@skein/checkpointer";
import type { RunOptions } from "./run.ts";
import type { Session } from "./storage.ts";

/** Asked whether a run may begin on a thread, once the run holds it and before anything of it is stored. */
export interface Admission {
  readonly threadId: string;
  /** Throws, or rejects, to refuse the run. */
  readonly ask: () => Awaitable<void>;
}

const ADMISSION = Symbol("skein.admission");

/** A config whose run asks. Graphs that the run calls do not ask again. */
export function withAdmission<C extends RunnableConfig>(config: C, admission: Admission): C {
  return { ...config, configurable: { ...config.configurable, [ADMISSION]: admission } };
}

/** A run that is refused gives its thread back. */
export function admitted(options: RunOptions, session: Session | undefined): Awaitable<void> {
  const { config, parent, threadId } = options;
  const admission = (config.configurable as { [ADMISSION]?: Admission } | undefined)?.[ADMISSION];
  if (admission === undefined || parent !== undefined || admission.threadId !== threadId) return undefined;
  return asked(admission, session);
}

async function asked({ ask }: Admission, session: Session | undefined): Promise<void> {
  try {
    await ask();
  } catch (error) {
    await session?.release();
    throw error;
  }
}
