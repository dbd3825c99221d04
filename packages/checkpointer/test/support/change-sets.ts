import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, expect } from "vitest";
import {
  CHANGE_SETS,
  type Awaitable,
  type ChangeSet,
  type ChangeSets,
  type ChannelChange,
  type Claim,
  type Opened,
  type StoredCheckpoint,
} from "../../src/index.ts";
import { SAVERS, type Saver, type SaverKind } from "../savers.ts";

export const ROOT = { threadId: "t", namespace: "" };

export function change(
  id: string,
  parentId: string | undefined,
  channels: Record<string, ChannelChange>,
): ChangeSet {
  return {
    namespace: "",
    parentId,
    expectedHead: parentId,
    checkpoint: {
      id,
      ts: `2026-01-01T00:00:00.000Z`,
      metadata: { source: "loop", step: Number(id), parents: {} },
      channelVersions: Object.fromEntries(Object.keys(channels).map((channel) => [channel, Number(id)])),
      versionsSeen: {},
    },
    channels: new Map(Object.entries(channels)),
    writes: [],
  };
}

export const message = (id: string, content = id): HumanMessage => new HumanMessage({ id, content });
export const contents = (messages: unknown): unknown[] =>
  (messages as BaseMessage[]).map(({ content }) => content);

/** Opens an empty storage for each test of a suite. */
export function openedFor(kind: SaverKind) {
  let storage: ReturnType<SaverKind["open"]>;
  beforeEach(() => {
    storage = kind.open();
  });
  afterEach(() => storage.close());

  /** Memory and SQLite answer without promises. */
  function told<T>(answer: Awaitable<T>): Awaitable<T> {
    expect(SAVERS.includes(kind) && answer instanceof Promise).toBe(false);
    return answer;
  }
  const sets = (): ChangeSets => storage.saver[CHANGE_SETS];
  return {
    storage: () => storage,
    sets,
    told,
    again: (saver: Saver = storage.reopen()): ChangeSets => saver[CHANGE_SETS],
    open: (address: object = {}, from = sets()): Awaitable<Opened> =>
      told(from.open({ ...ROOT, ...address })),
    load: (opened: Opened, channel: string): Awaitable<unknown> =>
      told((opened.checkpoint as StoredCheckpoint).channels.get(channel)?.load()),
    /** Claims the thread. */
    take: async (): Promise<Claim> => (await told(sets().open(ROOT, { claim: "fail" }))).claim as Claim,
  };
}
