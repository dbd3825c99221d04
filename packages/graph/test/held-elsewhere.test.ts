import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { Annotation, START, StateGraph, whileHeld, withAdmission } from "../src/index.ts";
import { changeSetsOf } from "../src/run/change-set-session.ts";

const thread = { configurable: { thread_id: "1" } };
const State = Annotation.Root({ said: Annotation<string> });

const fail = (why: string) => Promise.reject(new Error(why));

function graphOn(checkpointer: MemorySaver) {
  return new StateGraph(State)
    .addNode("say", () => ({ said: "something" }))
    .addEdge(START, "say")
    .compile({ checkpointer });
}

/** A saver whose storage goes away when a thread is given back. */
function losing(checkpointer: MemorySaver, how: "throws" | "rejects"): MemorySaver {
  const lost = new Error("the storage is gone");
  const sets = changeSetsOf(checkpointer);
  Object.assign(sets as object, {
    release: () => {
      if (how === "throws") throw lost;
      return Promise.reject(lost);
    },
  });
  return checkpointer;
}

describe("a config that whileHeld gave", () => {
  it("writes to its thread, and to no other one under that claim", async () => {
    const graph = graphOn(new MemorySaver());
    await whileHeld(graph, thread, async (held) => {
      await graph.updateState(held, { said: "here" });
      const configurable = { ...held.configurable, thread_id: "2" };
      await expect(graph.updateState({ configurable }, { said: "there" })).rejects.toMatchObject({
        code: "INVALID_CONFIGURATION",
        details: { threadId: "2", heldThreadId: "1" },
      });
    });
    expect((await graph.getState(thread)).values).toEqual({ said: "here" });
    expect((await graph.getState({ configurable: { thread_id: "2" } })).values).toEqual({});
  });

  it("is for its thread whether that is named by a text or by a number", async () => {
    const graph = graphOn(new MemorySaver());
    await whileHeld(graph, { configurable: { thread_id: 1 } }, (held) =>
      graph.updateState(held, { said: "here" }),
    );
    expect((await graph.getState(thread)).values).toEqual({ said: "here" });
  });
});

describe.each(["throws", "rejects"] as const)("a thread that cannot be given back (%s)", (how) => {
  it("does not hide what failed while it was held", async () => {
    await expect(
      whileHeld(graphOn(losing(new MemorySaver(), how)), thread, () => fail("the body failed")),
    ).rejects.toThrow("the body failed");
  });

  it("is told when nothing failed", async () => {
    await expect(
      whileHeld(graphOn(losing(new MemorySaver(), how)), thread, async () => "done"),
    ).rejects.toThrow("the storage is gone");
  });

  it("does not hide why a run was refused", async () => {
    const saver = new MemorySaver();
    const graph = graphOn(saver);
    await graph.invoke({ said: "" }, thread);
    losing(saver, how);
    const asking = withAdmission(thread, { threadId: "1", ask: () => fail("refused") });
    await expect(graph.invoke({ said: "" }, asking)).rejects.toThrow("refused");
  });
});
