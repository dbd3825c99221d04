import { HumanMessage } from "@langchain/core/messages";
import { CHANGE_SETS, type Claim, type Opened } from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { commitValue, putValue } from "./steps.ts";
import { text } from "./text.ts";

/** Another process on a test's database: `worker.ts DATABASE put|claim|chat THREAD [COUNT]`. */
const [path, verb, thread, count] = process.argv.slice(2) as [string, string, string, string | undefined];
const saver = SqliteSaver.fromConnString(path);

if (verb === "put") {
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
} else if (verb === "claim") {
  const opened = saver[CHANGE_SETS].open({ threadId: thread, namespace: "" }, { claim: "fail" }) as Opened;
  void commitValue(saver, opened.claim as Claim, "1", undefined);
  process.stdout.write("claimed\n");
  setInterval(() => {}, 1000);
} else if (verb === "chat") chat();

/** Commits turns until it is killed, and says after each what is now stored. */
function chat(): void {
  for (;;) {
    const opened = saver[CHANGE_SETS].open({ threadId: thread, namespace: "" }, { claim: "fail" }) as Opened;
    const old = (opened.checkpoint?.channels.get("messages")?.load() ?? []) as HumanMessage[];
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
      void saver[CHANGE_SETS].record(
        opened.claim as Claim,
        { threadId: thread, namespace: "", checkpointId: opened.headId },
        writes,
      );
    }
    void saver[CHANGE_SETS].commit(opened.claim as Claim, {
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
    if (n % 2 === 1) void saver[CHANGE_SETS].release(opened.claim as Claim);
    process.stdout.write(`${id} ${old.length + messages.length}\n`);
  }
}
