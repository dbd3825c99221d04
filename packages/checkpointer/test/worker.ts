import { HumanMessage } from "@langchain/core/messages";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { commitValue, putValue } from "./steps.ts";
import { openTarget } from "./support/target.ts";
import { text } from "./text.ts";

/**
 * Another process on a test's database: `worker.ts DATABASE put|claim|chat|count THREAD [COUNT]`, with a database
 * as `openTarget` takes it.
 */
const [target, verb, thread, count] = process.argv.slice(2) as [string, string, string, string | undefined];
const saver = openTarget(target);
const sets = saver[CHANGE_SETS];
const address = { threadId: thread, namespace: "" };

const verbs: Readonly<Record<string, () => Promise<void>>> = { put, claim, chat, count: countUp };
await verbs[verb]?.();

async function put(): Promise<void> {
  for (let i = 0; i < Number(count); i += 1) {
    const id = `${thread}${String(i).padStart(4, "0")}`;
    await putValue(saver, thread, id, i);
    await saver.put(
      { configurable: { thread_id: "shared", checkpoint_ns: "" } },
      {
        v: 4,
        id,
        ts: "x",
        channel_values: { list: [{ id, text: id.repeat(100) }] },
        channel_versions: { list: 1 },
        versions_seen: {},
      },
      { source: "update", step: i, parents: {} },
      { list: 1 },
    );
  }
  await saver.close();
}

/** Takes the thread and keeps it. */
async function claim(): Promise<void> {
  const opened = await sets.open(address, { claim: "fail" });
  await commitValue(saver, opened.claim as Claim, "1", undefined);
  process.stdout.write("claimed\n");
  setInterval(() => {}, 1000);
}

/** Adds one to `n` again and again, in competition with others. */
async function countUp(): Promise<void> {
  for (let i = 0; i < Number(count); i += 1) {
    const opened = await sets.open(address, { claim: { waitMs: 60_000 } });
    const n = Number((await opened.checkpoint?.channels.get("n")?.load()) ?? 0) + 1;
    await commitValue(saver, opened.claim as Claim, String(n).padStart(6, "0"), opened.headId, n);
    await sets.release(opened.claim as Claim);
  }
  await saver.close();
}

/** Commits turns until it is killed, and says after each what is now stored. */
async function chat(): Promise<void> {
  for (;;) {
    const opened = await sets.open(address, { claim: "fail" });
    const old = ((await opened.checkpoint?.channels.get("messages")?.load()) ?? []) as HumanMessage[];
    for (const [i, message] of old.entries()) {
      if (message.content !== text(i)) throw new Error(`message ${i} is not what was stored`);
    }
    const messages = Array.from(
      { length: 1 + (old.length % 4) },
      (_, i) => new HumanMessage({ id: `m${old.length + i}`, content: text(old.length + i) }),
    );
    const n = Number(opened.headId ?? "0") + 1;
    const id = String(n).padStart(8, "0");
    const writes = [{ taskId: `task${n}`, writes: [["messages", messages] as [string, unknown]] }];
    if (opened.headId !== undefined && n % 3 === 0) {
      await sets.record(opened.claim as Claim, { ...address, checkpointId: opened.headId }, writes);
    }
    await sets.commit(opened.claim as Claim, {
      namespace: "",
      parentId: opened.headId,
      expectedHead: opened.headId,
      checkpoint: {
        id,
        ts: new Date().toISOString(),
        metadata: { source: "loop", step: n, parents: {} },
        channelVersions: { messages: n, big: n },
        versionsSeen: {},
      },
      channels: new Map([
        [
          "messages",
          {
            op: "list",
            segments: [...(old.length > 0 ? [{ keep: [0, old.length] as const }] : []), { add: messages }],
          },
        ],
        ["big", { op: "set", value: text(n).repeat(n % 5) }],
      ]),
      writes: opened.headId === undefined ? [] : writes,
      release: n % 2 === 0,
    });
    if (n % 2 === 1) await sets.release(opened.claim as Claim);
    process.stdout.write(`${id} ${old.length + messages.length}\n`);
  }
}
