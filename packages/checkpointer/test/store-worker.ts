import { PostgresStore } from "../src/store/postgres/index.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";

/** Another process on a test's store: `store-worker.ts PATH|URL#SCHEMA NAME COUNT`. Puts, reads back, deletes every third. */
const [target, name, count] = process.argv.slice(2) as [string, string, string];
const [url, schema] = target.split("#") as [string, string];
const store = target.startsWith("postgres:")
  ? PostgresStore.fromConnString(url, { schema })
  : SqliteStore.fromConnString(target);

async function work(): Promise<void> {
  for (let i = 0; i < Number(count); i += 1) {
    const key = `${name}-${i}`;
    await store.put(["shared", name], key, { text: `words of ${name}`, i });
    await store.put(["shared"], "one for all", { by: name, i, text: "common ground" });
    if ((await store.get(["shared", name], key))?.value["i"] !== i) throw new Error(`${key} is not there`);
    if (i % 3 === 0) await store.delete(["shared", name], key);
  }
  await store.stop();
}

void work();
