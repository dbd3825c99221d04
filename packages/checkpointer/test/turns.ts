import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { CHANGE_SETS, type Claim, type Opened } from "../src/index.ts";
import type { Saver } from "./savers.ts";

/** Id of the n-th checkpoint of a test's thread; sorts as numbers do. */
export const idOf = (n: number): string => String(n).padStart(6, "0");

export interface Turn {
  readonly thread: string;
  /** Number of the checkpoint of the answer; that of the input is the one before it. */
  readonly n: number;
  readonly question: string;
  readonly answer: string;
  /** Checkpoints that come after the answer, of steps that change nothing else. Default: 0. */
  readonly more?: number;
  /** Default: the head. */
  readonly after?: number;
  readonly ts?: string;
}

/** Commits a turn as Skein's engine would: an input, then an answer, in both tracks. */
export async function commitTurn(saver: Saver, turn: Turn): Promise<void> {
  const { thread, n, question, answer, ts = new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString() } = turn;
  const log = saver[CHANGE_SETS];
  const address = { threadId: thread, namespace: "" };
  const opened = (await log.open(address, { claim: "fail" })) as Opened;
  const claim = opened.claim as Claim;
  const parentId = turn.after === undefined ? opened.headId : idOf(turn.after);
  const parent =
    parentId === undefined ? undefined : (await log.open({ ...address, checkpointId: parentId })).checkpoint;
  const channel = parent?.channels.get("messages");
  const length = channel?.kind === "list" ? channel.length : 0;
  const human = new HumanMessage({ id: `h${n}`, content: question });
  const ai = new AIMessage({ id: `a${n}`, content: answer });
  const commit = (
    id: string,
    parentOf: string | undefined,
    head: string | undefined,
    message: BaseMessage,
    at: number,
  ) =>
    log.commit(claim, {
      namespace: "",
      parentId: parentOf,
      expectedHead: head,
      checkpoint: {
        id,
        ts,
        metadata: { source: message === human ? "input" : "loop", step: at, parents: {} },
        channelVersions: { messages: at + 1, full_messages: at + 1, note: at + 1 },
        versionsSeen: { model: { messages: at + 1 } },
      },
      channels: new Map([
        [
          "messages",
          { op: "list", segments: [...(at > 0 ? [{ keep: [0, at] as const }] : []), { add: [message] }] },
        ],
        ["full_messages", { op: "log", lane: "messages", entries: [{ add: message }] }],
        ["note", { op: "set", value: `note ${n}` }],
      ]),
      writes: message === human ? [] : [{ taskId: `task${id}`, writes: [["messages", [message]]] }],
    });
  await commit(idOf(n - 1), parentId, opened.headId, human, length);
  await commit(idOf(n), idOf(n - 1), idOf(n - 1), ai, length + 1);
  for (let last = n; last < n + (turn.more ?? 0); last += 1)
    await log.commit(claim, {
      namespace: "",
      parentId: idOf(last),
      expectedHead: idOf(last),
      checkpoint: {
        id: idOf(last + 1),
        ts,
        metadata: { source: "loop", step: last, parents: {} },
        channelVersions: { messages: length + 2, full_messages: length + 2, note: last },
        versionsSeen: {},
      },
      channels: new Map([["note", { op: "set", value: `note ${last}` }]]),
      writes: [],
    });
  await log.release(claim);
}

/** Turns 1 to `turns`, at checkpoints 2, 4, 6 and so on. */
export async function chat(saver: Saver, thread: string, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) {
    await commitTurn(saver, { thread, n: turn * 2, question: `question ${turn}`, answer: `answer ${turn}` });
  }
}

export const at = (thread: string, n?: number) => ({
  configurable: { thread_id: thread, ...(n === undefined ? {} : { checkpoint_id: idOf(n) }) },
});

export async function contents(saver: Saver, thread: string, n?: number): Promise<unknown[]> {
  const tuple = await saver.getTuple(at(thread, n));
  return ((tuple?.checkpoint.channel_values["messages"] ?? []) as BaseMessage[]).map(
    ({ content }) => content,
  );
}

/** Ids of the checkpoints that a thread has, as numbers, oldest first. */
export async function stored(saver: Saver, thread: string): Promise<number[]> {
  const ids: number[] = [];
  for await (const { checkpoint } of saver.list({ configurable: { thread_id: thread, checkpoint_ns: "" } }))
    ids.unshift(Number(checkpoint.id));
  return ids;
}
