import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { commitValue, putValue } from "./steps.ts";
import { openTarget } from "./support/target.ts";

/**
 * Another process on a test's database: `worker.ts DATABASE put|claim|count THREAD [COUNT]`, with a database
 * as `openTarget` takes it.
 */
const [target, verb, thread, count] = process.argv.slice(2) as [string, string, string, string | undefined];
const saver = openTarget(target);
const sets = saver[CHANGE_SETS];
const address = { threadId: thread, namespace: "" };

const verbs: Readonly<Record<string, () => Promise<void>>> = { put, claim, count: countUp };
void verbs[verb]?.();

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
