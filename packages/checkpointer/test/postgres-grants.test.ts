import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CHANGE_SETS, undo, redo } from "../src/index.ts";
import { PostgresSaver } from "../src/postgres/index.ts";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { urlOf } from "./support/postgres.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";
import { at, chat, contents, stored } from "./turns.ts";

const schema = schemaPerTest();

const PAGE = join(import.meta.dirname, "../../../docs/concepts/checkpoint.md");

/** What the page on checkpoints grants. */
function granted(user: string): string {
  const [, sql] = /```sql\n(GRANT [\s\S]*?)```/.exec(readFileSync(PAGE, "utf8")) as unknown as [
    string,
    string,
  ];
  return sql.replaceAll(/\bskein\b/g, `"${schema.name}"`).replaceAll(/\bapp;/g, `${user};`);
}

async function verbs(saver: PostgresSaver): Promise<void> {
  await chat(saver, "t", 3);
  await saver.putWrites(at("t", 6), [["note", "later"]], "task");
  expect(await contents(saver, "t")).toHaveLength(6);
  expect(await stored(saver, "t")).toHaveLength(6);
  expect((await saver.search(at("t"), "answer")).hits).toHaveLength(3);
  expect((await saver.listThreads()).map(({ threadId }) => threadId)).toEqual(["t"]);
  expect((await saver.storageReport("t"))?.items).toBeGreaterThan(0);
  await undo(saver, "t");
  await redo(saver, "t");
  await saver.copyThread("t", "copy");
  const lines: string[] = [];
  for await (const line of saver.exportThread("t")) lines.push(line);
  await saver.importThread(lines, { as: "imported" });
  const report = await saver.eraseMessage(at("t"), "h2");
  expect(report.threads).toHaveLength(2);
  expect(JSON.stringify(await contents(saver, "copy"))).not.toContain("question 1");
  await saver.prune("t", { keepLast: 1 });
  await chat(saver, "other", 1);
  const { claim } = await saver[CHANGE_SETS].open({ threadId: "other", namespace: "" }, { claim: "take" });
  await saver[CHANGE_SETS].release(claim as NonNullable<typeof claim>);
  await saver.deleteThread("imported");
  expect(await saver.sweep({ ttl: 0, now: Date.now() + 60_000 })).toHaveLength(3);
}

it("a user who has what the page grants runs threads, reads, searches and erases, in a store as well", async () => {
  const owner = schema.open();
  await owner.setup();
  const ownersStore = PostgresStore.fromConnString(schema.url, { schema: schema.name });
  await ownersStore.put(["made"], "k", { text: "by the owner" });
  const user = `${schema.name}_app`;
  await schema.sql(`REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA "${schema.name}" FROM PUBLIC;
    CREATE ROLE ${user} LOGIN; ${granted(user)}`);
  const url = urlOf(schema.url, user);
  const saver = PostgresSaver.fromConnString(url, { schema: schema.name });
  const store = PostgresStore.fromConnString(url, { schema: schema.name });
  try {
    await saver.setup();
    await verbs(saver);
    await store.put(["made"], "l", { text: "by the user" });
    expect(await store.search(["made"], { query: "owner" })).toHaveLength(1);
    await store.delete(["made"], "k");
    await expect(saver.cleanUp()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  } finally {
    await saver.close();
    await store.stop();
    await ownersStore.stop();
    await schema.sql(`DROP OWNED BY ${user}; DROP ROLE ${user}`);
  }
});
