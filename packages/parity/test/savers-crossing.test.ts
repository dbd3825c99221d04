import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type BaseCheckpointSaver,
  type CheckpointTuple,
  MemorySaver as PlainMemorySaver,
} from "@langchain/langgraph-checkpoint";
import { SqliteSaver as PlainSqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { branches, MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";
import { type Crossing, cross, crossings } from "../src/crossings.ts";
import { type Engine, oracle, ours } from "../src/engines.ts";
import type { Plain } from "../src/normalise.ts";
import { deltaState, leaves, thread, trailState } from "../src/scenarios/kit.ts";

interface Opened {
  readonly saver: BaseCheckpointSaver;
  close(): unknown;
}

const savers: Readonly<Record<string, () => Opened>> = {
  memory: () => ({ saver: new MemorySaver(), close: () => {} }),
  SQLite: () => {
    const saver = SqliteSaver.fromConnString(":memory:");
    return { saver, close: () => saver.close() };
  },
  PostgreSQL: openPostgres,
};

const directions: readonly (readonly [from: Engine, to: Engine])[] = [
  [oracle, oracle],
  [oracle, ours],
  [ours, oracle],
  [ours, ours],
];

async function crossOn(open: () => Opened, crossing: Crossing, from: Engine, to: Engine): Promise<Plain> {
  const { saver, close } = open();
  try {
    return await cross(crossing, from, to, saver);
  } finally {
    await close();
  }
}

/** An empty list of Sends and none are the same: change sets clear the channel, LangGraph stores `[]`. */
function withoutEmptySends(recording: Plain): unknown {
  return JSON.parse(JSON.stringify(recording), (key, value: unknown) =>
    key === "__pregel_tasks" && Array.isArray(value) && value.length === 0 ? undefined : value,
  );
}

/**
 * What a program sees, without what stands in the saver. LangGraph also shows how it counts deltas, and
 * at step -2 the checkpoint that it hangs those of durability "exit" on.
 */
function seen(recording: Plain): unknown {
  const observations = (recording as { what: string; saw: Plain }[]).filter(({ what }) => what !== "saved");
  return observations.map(({ what, saw }) => {
    if (what !== "history") return { what, saw };
    const snapshots = saw as { metadata: { step: number }; values: unknown; next: unknown }[];
    return snapshots
      .filter(({ metadata }) => metadata.step >= -1)
      .map(({ metadata, values, next }) => ({ step: metadata.step, values, next }));
  });
}

describe.each(Object.entries(savers))(
  "a thread on our saver (%s) goes on on either engine",
  (_name, open) => {
    it.each(crossings.map((crossing) => [crossing.name, crossing] as const))(
      "%s",
      async (_name, crossing) => {
        const elsewhere = seen(await cross(crossing, oracle, oracle, new PlainMemorySaver()));
        // deltas are lists there, which are stored as such: only what is seen of them is the same
        const asStored = (recording: Plain): unknown =>
          crossing.deltas === undefined ? withoutEmptySends(recording) : undefined;
        const stayed = asStored(await cross(crossing, oracle, oracle, new MemorySaver()));
        for (const [from, to] of directions) {
          const crossed = await crossOn(open, crossing, from, to);
          expect(seen(crossed)).toEqual(elsewhere);
          expect(asStored(crossed)).toEqual(stayed);
        }
      },
    );
  },
);

/** A question in a graph within that has left something before. */
function asksWithin({ lg }: Engine, saver: BaseCheckpointSaver) {
  const within = new lg.StateGraph(trailState(lg))
    .addNode("one", leaves("one"))
    .addNode("asks", () => ({ trail: [`go? ${lg.interrupt("go?")}`] }))
    .addEdge(lg.START, "one")
    .addEdge("one", "asks")
    .compile();
  return new lg.StateGraph(trailState(lg))
    .addNode("within", within)
    .addEdge(lg.START, "within")
    .compile({ checkpointer: saver });
}

/** Its call in durability "exit" is made twice. */
async function askedTwiceInExit(saver: BaseCheckpointSaver): Promise<unknown> {
  const config = { ...thread("1"), durability: "exit" } as const;
  for (const input of [{ trail: ["in"] }, null]) await asksWithin(oracle, saver).invoke(input, config);
  expect(await branches(saver, "1")).toHaveLength(1);
  const { config: at, parentConfig } = await asksWithin(ours, saver).getState(config);
  const isOwnParent = parentConfig?.configurable?.["checkpoint_id"] === at.configurable?.["checkpoint_id"];
  const { trail } = await asksWithin(ours, saver).invoke(new ours.lg.Command({ resume: "yes" }), config);
  return { isOwnParent, trail };
}

describe("LangGraph stores a checkpoint as its own parent", () => {
  it.each(Object.entries(savers))("our saver (%s) keeps the parent that it had", async (_name, open) => {
    const { saver, close } = open();
    const seen = await askedTwiceInExit(saver);
    expect(seen).toEqual({ isOwnParent: false, trail: ["in", "one", "go? yes"] });
    await close();
  });

  it("in a saver of its own, where who follows parents comes to an end", async () => {
    const seen = await askedTwiceInExit(new PlainMemorySaver());
    expect(seen).toEqual({ isOwnParent: true, trail: ["in", "one", "go? yes"] });
  });
});

it("a delta value whose checkpoint LangGraph has stored as its own parent is read, and goes on", async () => {
  const saver = new PlainMemorySaver();
  let fails = true;
  const ends = (): { log: string } => {
    if (fails) throw new Error("user: no");
    return { log: "b" };
  };
  const on = ({ lg }: Engine) =>
    new lg.StateGraph(deltaState(lg))
      .addNode("a", () => ({ log: "a" }))
      .addNode("b", ends)
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
  const config = { ...thread("1"), durability: "exit" } as const;
  for (const input of [{ log: "in" }, null])
    await expect(on(oracle).invoke(input, config)).rejects.toThrow("user: no");
  const { values, next } = await on(ours).getState(thread("1"));
  // where the deltas before it stand is no longer known
  expect({ log: values.log, next }).toEqual({ log: [], next: ["b"] });
  fails = false;
  expect((await on(ours).invoke(null, config)).log).toEqual(["b"]);
  expect((await on(ours).getState(thread("1"))).values.log).toEqual(["b"]);
});

describe("a command that begins a thread on LangGraph's engine", () => {
  it.each(Object.entries(savers))("on our saver (%s)", async (_name, open) => {
    const { saver, close } = open();
    for (const durability of ["sync", "async", "exit"] as const) {
      const { lg } = oracle;
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", leaves("a"))
        .addEdge(lg.START, "a")
        .compile({ checkpointer: saver });
      const command = new lg.Command({ update: { trail: ["in"] }, goto: "a" });
      const { trail } = await graph.invoke(command, { ...thread(durability), durability });
      expect(trail).toEqual(["in", "a"]);
      expect((await graph.getState(thread(durability))).values.trail).toEqual(["in", "a"]);
    }
    await close();
  });
});

/** Names the newest checkpoint of a graph within as the parent of its first step. */
class CircularSaver extends PlainMemorySaver {
  #reads = 0;

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    this.#reads += 1;
    if (this.#reads > 1_000) throw new Error("somebody follows the circle");
    const tuple = await super.getTuple(config);
    const { checkpoint_ns, checkpoint_id, ...rest } = config.configurable ?? {};
    const isFirstStep = checkpoint_ns !== "" && tuple?.metadata?.step === 0;
    if (!isFirstStep || checkpoint_id === undefined) return tuple;
    const newest = await super.getTuple({ configurable: { ...rest, checkpoint_ns } });
    return { ...tuple, ...(newest && { parentConfig: newest.config }) };
  }
}

it("parents that lead in a circle are followed once", async () => {
  const graph = asksWithin(ours, new CircularSaver());
  await graph.invoke({ trail: ["in"] }, thread("1"));
  const { trail } = await graph.invoke(new ours.lg.Command({ resume: "yes" }), thread("1"));
  expect(trail).toEqual(["in", "one", "go? yes"]);
});

const openPlainSqlite = (): Opened => {
  const saver = new PlainSqliteSaver(new Database(":memory:") as never);
  return { saver, close: () => saver.db.close() };
};

describe("a thread on LangGraph's SQLite saver goes on on either engine", () => {
  it.each(crossings.map((crossing) => [crossing.name, crossing] as const))("%s", async (_name, crossing) => {
    const stayed = await crossOn(openPlainSqlite, crossing, oracle, oracle);
    expect(await crossOn(openPlainSqlite, crossing, oracle, ours)).toEqual(stayed);
    expect(await crossOn(openPlainSqlite, crossing, ours, oracle)).toEqual(stayed);
  });
});
