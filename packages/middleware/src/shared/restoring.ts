import type { BaseMessage } from "@langchain/core/messages";
import type { ContextSource, Restore } from "@skein/agent";
import { isMarkedSummary } from "@skein/context";
import { requireChoice } from "./checks.ts";
import { contextWrite, editedHistory, type ContextState, type ContextUpdate } from "./context-write.ts";

/** What middleware that shapes the context lets its user choose. */
export interface RestoreOption {
  /**
   * The context of a thread that is taken up again: `"rebuild"` takes it as it was saved while what
   * shapes it is configured as it was then, and builds it anew from the history when it is not;
   * `"exact"` takes it as it was saved in any case. Default: that of the agent, which is "rebuild".
   */
  readonly restore?: Restore;
}

/** In a change of a rebuilt context: it could not be made, so the one that was saved stays. */
export const KEEP_SAVED: unique symbol = Symbol("keep the saved context");

type Shape<State, Update> = (state: State) => Update | undefined | Promise<Update | undefined>;

interface ShapingRuntime {
  readonly contextSource?: ContextSource | undefined;
}

/** Shapes the context of a thread, anew from its history when that is due. */
export interface Shaping {
  /** For the middleware's field of this name. */
  readonly contextConfiguration: string;
  /** @param shape - the middleware's own change of the context, as a function of the state */
  run<State extends ContextState, Update extends ContextUpdate>(
    state: State,
    runtime: ShapingRuntime,
    shape: Shape<State, Update>,
  ): Promise<(Update & ContextUpdate) | undefined>;
}

/**
 * Remembers by what configuration a context was made, and notices another one.
 *
 * Nothing is read while it is the same: what was saved is the summary and the tail that it does not
 * cover, and shaping it again is what every hook does. When it is another one the whole history is
 * loaded, once, and every middleware shapes that in its turn.
 *
 * @param configuration - what decides how the context looks; functions in it do not count
 * @throws GraphError INVALID_CONFIGURATION for a `restore` that there is not
 */
export function shapingOf(name: string, configuration: unknown, { restore }: RestoreOption): Shaping {
  if (restore !== undefined) requireChoice("restore", restore, ["rebuild", "exact"]);
  const contextConfiguration = JSON.stringify(configuration, (_key, value: unknown) =>
    value instanceof Set ? [...value] : value,
  );
  return {
    contextConfiguration,
    run: async (state, runtime, shape) => {
      const { contextSource: source } = runtime;
      const known = state._contextConfigurations ?? undefined;
      const changed =
        known !== undefined &&
        (source === undefined ? known[name] !== contextConfiguration : !isSame(known, source.configurations));
      const rebuild = changed && (restore ?? source?.restore ?? "rebuild") === "rebuild";
      const base = rebuild ? await baseOf(state, source) : undefined;
      const from = base === undefined ? state : { ...state, messages: base, rebuilt: true };
      const shaping = shape(from);
      const shaped = shaping instanceof Promise ? await shaping : shaping;
      if (base !== undefined && isKept(shaped)) return shaped as never;
      const update = base === undefined ? shaped : { ...contextWrite(from, {}), ...shaped };
      if (update?.messages === undefined || (known !== undefined && !changed)) return update as never;
      const present = source?.configurations ?? { ...known, [name]: contextConfiguration };
      return { ...update, _contextConfigurations: present } as never;
    },
  };
}

function isKept(update: object | undefined): update is { readonly [KEEP_SAVED]: true } {
  return update !== undefined && KEEP_SAVED in update;
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** The history as the context would be if nothing had ever been compacted. */
async function baseOf(state: ContextState, source: ContextSource | undefined): Promise<BaseMessage[]> {
  const { messages, full_messages: full = [] } = state;
  const history = source === undefined ? editedHistory(messages, full) : await source.history();
  return inOrderOf(messages, history);
}

/**
 * The history, but what the context shows out of its order stays behind what it stands behind there:
 * an edit of a compacted message that the model was told as news.
 */
function inOrderOf(context: readonly BaseMessage[], history: readonly BaseMessage[]): BaseMessage[] {
  const places = new Map(history.map(({ id }, place) => [id, place]));
  const moved = new Set<string | undefined>();
  const behind = new Map<string | undefined, BaseMessage[]>();
  let last = -1;
  for (const message of context) {
    const place = places.get(message.id);
    if (place === undefined || isMarkedSummary(message)) continue;
    if (place > last) {
      last = place;
      continue;
    }
    const anchor = history[last]?.id;
    moved.add(message.id);
    behind.set(anchor, [...(behind.get(anchor) ?? []), history[place] as BaseMessage]);
  }
  if (moved.size === 0) return [...history];
  return history
    .filter(({ id }) => !moved.has(id))
    .flatMap((message) => [message, ...(behind.get(message.id) ?? [])]);
}
