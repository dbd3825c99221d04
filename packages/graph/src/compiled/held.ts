import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import type { Claim } from "@skein/checkpointer";
import { GraphError } from "@skein/errors";
import { changeSetsOf } from "../run/change-set-session.ts";
import { giveBack } from "../run/give-back.ts";
import { checkConflict, onConflictOf } from "./check-call.ts";
import type { CallOptions } from "./options.ts";
import type { CompiledSettings } from "./prepare.ts";
import { configurableOf } from "./place.ts";
import { threadIdOf } from "./thread-id.ts";

const HELD = Symbol("skein.held");

/**
 * Does something while no run works on a thread: what `body` reads with the config it is given is still so
 * when it updates the state with it. No run can begin meanwhile, not in `body` either. On a foreign saver
 * nobody knows of runs, and nobody is kept out.
 *
 * @throws GraphError THREAD_CONFLICT while a run has the thread, after the wait that `onConflict` allows; what
 *   `body` throws
 *
 * @example
 * await whileHeld(graph, { configurable: { thread_id: "1", onConflict: { waitMs: 5_000 } } }, async (held) => {
 *   const { values } = await graph.getState(held);
 *   if (values.open) await graph.updateState(held, { open: false });
 * });
 */
export async function whileHeld<Result>(
  { settings }: { readonly settings: Pick<CompiledSettings, "checkpointer" | "config"> },
  config: RunnableConfig,
  body: (held: RunnableConfig) => Promise<Result>,
): Promise<Result> {
  const given = mergeConfigs(settings.config, config) as CallOptions;
  const saver = typeof settings.checkpointer === "object" ? settings.checkpointer : undefined;
  const sets = saver && changeSetsOf(saver);
  const threadId = threadIdOf(configurableOf(given));
  if (sets === undefined || threadId === undefined) return body(config);
  const wait = onConflictOf(given.onConflict, given.configurable) ?? "fail";
  checkConflict(wait);
  const { claim } = await sets.open({ threadId, namespace: "" }, { claim: wait });
  if (claim === undefined) return body(config);
  let result: Result;
  try {
    result = await body(holding(config, threadId, claim));
  } catch (error) {
    await giveBack({ release: () => sets.release(claim) });
    throw error;
  }
  await sets.release(claim);
  return result;
}

/** A config for updates under a claim on a thread that whoever calls has, and gives back. */
export function holding(config: RunnableConfig, threadId: string, claim: object): RunnableConfig {
  const underClaim = (named: string | undefined): Claim => {
    if (named === threadId) return claim as Claim;
    throw notHeld(threadId, named);
  };
  return { ...config, configurable: { thread_id: threadId, ...configurableOf(config), [HELD]: underClaim } };
}

/**
 * The claim that a config was given by {@link whileHeld}.
 *
 * @throws GraphError INVALID_CONFIGURATION when the config has come to name another thread since
 */
export function heldBy(config: RunnableConfig): Claim | undefined {
  const configurable = configurableOf(config) as Record<string, unknown> & { [HELD]?: UnderClaim };
  return configurable[HELD]?.(threadIdOf(configurable));
}

/** A claim, for who names its thread. A function, so that programs that hold nothing do not load why not. */
type UnderClaim = (threadId: string | undefined) => Claim;

function notHeld(heldThreadId: string, threadId: string | undefined): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `This config is for thread "${heldThreadId}", which whileHeld holds, and names thread "${threadId}". Hold that thread, or name it in a config of its own.`,
    { details: { threadId, heldThreadId } },
  );
}
