import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";
import { cross, crossings } from "../src/crossings.ts";
import { oracle, ours, type Engine } from "../src/engines.ts";
import type { Plain } from "../src/normalise.ts";

async function onPostgres(crossing: (typeof crossings)[number], from: Engine, to: Engine) {
  const storage = openPostgres();
  try {
    return await cross(crossing, from, to, storage.saver);
  } finally {
    await storage.close();
  }
}

/** An empty list of Sends and none are the same: change sets clear the channel, LangGraph stores `[]`. */
function withoutEmptySends(recording: Plain): unknown {
  return JSON.parse(JSON.stringify(recording), (key, value: unknown) =>
    key === "__pregel_tasks" && Array.isArray(value) && value.length === 0 ? undefined : value,
  );
}

describe("a thread on PostgreSQL begun on one engine continues on the other, as it would have on the first", () => {
  it.each(crossings.map((crossing) => [crossing.name, crossing] as const))("%s", async (_name, crossing) => {
    const stayed = withoutEmptySends(await cross(crossing, oracle, oracle, new MemorySaver()));
    for (const [from, to] of [
      [oracle, oracle],
      [oracle, ours],
      [ours, oracle],
      [ours, ours],
    ] as const) {
      expect(withoutEmptySends(await onPostgres(crossing, from, to))).toEqual(stayed);
    }
  });
});
