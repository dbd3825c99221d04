import { HumanMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { PostgresStore } from "../src/store/postgres/index.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";
import { at, chat, commitTurn, contents } from "./turns.ts";

const schema = schemaPerTest();

const SECRET = "SECRET-4242";

/** Columns of which the server keeps texts. */
async function sampled(): Promise<unknown[]> {
  const rows = await schema.sql(`SELECT tablename || '.' || attname AS of,
      coalesce(most_common_vals::text, '') || coalesce(histogram_bounds::text, '') || coalesce(most_common_elems::text, '') AS text
    FROM pg_stats WHERE schemaname = '${schema.name}' AND tablename <> 'meta' ORDER BY 1`);
  return rows.filter(({ text }) => /[a-z]/i.test(String(text))).map(({ of }) => of);
}

const analyze = async () => {
  const rows = await schema.sql(
    `SELECT format('ANALYZE %s', oid::regclass) AS text FROM pg_class WHERE relnamespace = '"${schema.name}"'::regnamespace AND relkind = 'r'`,
  );
  for (const { text } of rows) await schema.sql(String(text));
};

async function filled() {
  const saver = schema.open();
  for (let turn = 0; turn < 3; turn += 1) await chat(saver, `thread ${turn}`, 2);
  await commitTurn(saver, { thread: "t", n: 4, question: `${SECRET} is mine`, answer: "ok" });
  await saver.putWrites(at("t", 4), [["n", new HumanMessage(SECRET)]], "task");
  const store = PostgresStore.fromConnString(schema.url, { schema: schema.name });
  for (const key of ["a", "b"]) await store.put(["users", "ada"], key, { text: `${SECRET} of hers` });
  return { saver, store };
}

it("the server samples no text of a schema", async () => {
  const { store } = await filled();
  await analyze();
  expect(await sampled()).toEqual([]);
  await store.stop();
});

/** As schemas were made before. */
async function sampleAll(): Promise<void> {
  const rows =
    await schema.sql(`SELECT format('ALTER TABLE %s ALTER %I SET STATISTICS -1', attrelid::regclass, attname) AS text
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = '"${schema.name}"'::regnamespace AND c.relkind = 'r' AND attnum > 0 AND attstattarget = 0`);
  expect(rows.length).toBeGreaterThan(20);
  for (const { text } of rows) await schema.sql(String(text));
}

it.each([
  { how: "with threads", isEmptied: false, left: 2 },
  { how: "that is emptied", isEmptied: true, left: 0 },
])("clean-up has the server forget its samples of a schema $how", async ({ isEmptied, left }) => {
  const { saver, store } = await filled();
  await sampleAll();
  await analyze();
  expect(await sampled()).toEqual(
    expect.arrayContaining([
      "checkpoints.manifest",
      "checkpoints.writes",
      "items.body",
      "store_items.ns",
      "store_items.words",
      "threads.thread_id",
    ]),
  );
  // the type of a column that it reads cannot be given anew
  await schema.sql(`CREATE VIEW "${schema.name}".theirs AS SELECT body FROM "${schema.name}".items`);
  await saver.eraseMessage(at("t"), "h4");
  if (isEmptied) {
    for (const { threadId } of await saver.listThreads()) await saver.deleteThread(threadId);
    for (const key of ["a", "b"]) await store.delete(["users", "ada"], key);
  }
  await saver.cleanUp();
  expect(await sampled()).toEqual([]);
  await analyze();
  expect(await sampled()).toEqual([]);
  expect(await store.search(["users"], { query: SECRET })).toHaveLength(left);
  await commitTurn(saver, { thread: "new", n: 2, question: "is it as it was?", answer: "yes" });
  expect(await contents(saver, "new")).toEqual(["is it as it was?", "yes"]);
  await store.stop();
});
