import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryStore as LangGraphStore } from "@langchain/langgraph-checkpoint";
import { afterAll, describe, expect, it } from "vitest";
import { runStoreSpec, storeSpecs, type StoreTarget, testStore } from "../src/store/conformance/index.ts";
import { InMemoryStore } from "../src/store/index.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";

const folder = mkdtempSync(join(tmpdir(), "skein-stores-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
let files = 0;
const openFile: StoreTarget["open"] = (options) => {
  files += 1;
  return SqliteStore.fromConnString(join(folder, `${files}.db`), options);
};

describe("InMemoryStore (F8)", () => {
  testStore({ features: ["text", "ttl"], open: (options) => new InMemoryStore(options) }, { describe, it });
});

describe("SqliteStore (F8)", () => {
  testStore({ features: ["text", "ttl"], open: openFile }, { describe, it });
});

describe("LangGraph's InMemoryStore", () => {
  const target: StoreTarget = {
    features: [],
    open: ({ index }) => new LangGraphStore(index === undefined ? {} : { index }),
  };
  /** Where it does something else. docs/decisions/2026-11-21-stores.md says why we differ. */
  const differs = new Set([
    "any text is a part of a namespace",
    "namespaces are lists, not texts joined by something",
    "values are copies, when they go in and when they come out",
    "refuses what is no item, and stores nothing of it",
    "reads see what was there before the batch; of several puts to one item the last counts",
    "one bad operation, and nothing of the batch is done",
    "a prefix is whole parts of a namespace",
    "operators compare texts and dates that are texts",
    "lists and objects equal what looks like them",
    "$exists tells what has a field",
    "a filter sees a value's own fields only",
    "an operator that does not exist is an error",
    "a limit or offset that is no count is an error",
    "a namespace whose items are gone is gone",
    "awkward parts come back as they were",
    "pages of a ranking hold every item once",
    "an item that is put again loses its old vectors, one that is deleted all",
  ]);
  it.each(storeSpecs.filter(({ needs }) => needs === undefined))("$group: $name", async (spec) => {
    const outcome = await runStoreSpec(spec, target).then(
      () => "as ours",
      () => "differs",
    );
    expect(outcome).toBe(differs.has(spec.name) ? "differs" : "as ours");
  });
});
