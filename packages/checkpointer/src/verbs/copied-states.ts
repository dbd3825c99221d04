import type { ChannelVersions } from "@langchain/langgraph-checkpoint";

/** What a checkpoint that was copied holds. */
export interface CopiedState {
  readonly versions: ChannelVersions;
  readonly values: Readonly<Record<string, unknown>>;
}

const NOTHING: CopiedState = { versions: {}, values: {} };

/** The states of copied checkpoints, each until all that follow it are copied, too. */
export class CopiedStates {
  /** How many are still to follow. */
  readonly #left = new Map<string, number>();
  readonly #states = new Map<string, CopiedState>();

  /** Notes that a checkpoint is to be copied. */
  expect(namespace: string, parent: unknown): void {
    const key = keyOf(namespace, parent);
    this.#left.set(key, (this.#left.get(key) ?? 0) + 1);
  }

  /** What a checkpoint follows; nothing where that was not copied. */
  take(namespace: string, parent: unknown): CopiedState {
    const key = keyOf(namespace, parent);
    const state = this.#states.get(key) ?? NOTHING;
    const left = (this.#left.get(key) ?? 0) - 1;
    this.#left.set(key, left);
    if (left <= 0) this.#states.delete(key);
    return state;
  }

  add(namespace: string, id: string, state: CopiedState): void {
    const key = keyOf(namespace, id);
    if ((this.#left.get(key) ?? 0) > 0) this.#states.set(key, state);
  }
}

const keyOf = (namespace: string, id: unknown): string => `${namespace}\n${String(id)}`;

/**
 * Versions of the channels that are not as they were before. A version may stand while the value changes: a
 * node has edited it in place, or LangGraph took it out.
 */
export function changedVersions(before: CopiedState, { versions, values }: CopiedState): ChannelVersions {
  const changed: ChannelVersions = {};
  const channels = new Set([versions, values, before.values].flatMap((of) => Object.keys(of)));
  for (const channel of channels) {
    const version = versions[channel];
    const isLeft = version === before.versions[channel] && isSameMember(values, before.values, channel);
    // one that lost its version is gone without being named
    const isDropped = version === undefined && before.versions[channel] !== undefined;
    if (!isLeft && !isDropped) changed[channel] = version ?? 0;
  }
  return changed;
}

function isSameMember(one: CopiedState["values"], other: CopiedState["values"], key: string): boolean {
  return Object.hasOwn(one, key) === Object.hasOwn(other, key) && Object.is(one[key], other[key]);
}
