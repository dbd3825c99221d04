/**
 * Asked before a run of the agent begins on a stored thread, and before anything of its input is stored:
 * throws to refuse it. The run holds the thread meanwhile, so nobody may write to it here. It is asked before
 * the thread is taken where the call may do something to it first, because its `onBusy` stops other runs or an
 * open turn may have to be closed (`openTurnTimeoutMs`); and both before and after of a thread of which
 * nothing is stored, which a refused call is not to make: so it decides, and does not count.
 */
export type Admit = (threadId: string) => void | Promise<void>;

/** All of an agent's middleware as one, asked in order; undefined when none has any. */
export function admitOf(
  middleware: readonly { readonly admit?: Admit | undefined }[],
): ((threadId: string) => Promise<void>) | undefined {
  const all = middleware.flatMap(({ admit }) => admit ?? []);
  if (all.length === 0) return undefined;
  return async (threadId) => {
    for (const admit of all) await admit(threadId);
  };
}
