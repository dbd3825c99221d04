import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Command, interrupt } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const schema = z.object({});

const SAVERS = [
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
] as const;

describe("an answer that names no question, in a queue (F6)", () => {
  it("is refused when the call that asked asks again, or several waited; an older checkpoint's is its own", async () => {
    const told: string[] = [];
    const twice = tool(
      () => {
        told.push(`${String(interrupt("one?"))}/${String(interrupt("two?"))}`);
        return "told";
      },
      { name: "twice", description: "", schema },
    );
    const agent = createAgent({
      model: new ScriptedModel(calls(["twice"]), "Done.", "Done.", "Done.", "Done."),
      tools: [twice],
      checkpointer: new MemorySaver(),
      onBusy: "queue",
    });
    await agent.invoke({ messages: "go" }, thread);
    const { config } = await agent.getState(thread);
    const answer = (resume: string, at = thread) => agent.invoke(new Command({ resume }), at);
    const [first, second] = await Promise.allSettled([answer("A"), answer("B")]);
    expect([first?.status, second]).toMatchObject([
      "fulfilled",
      { status: "rejected", reason: { code: "NOTHING_TO_RESUME" } },
    ]);
    await answer("B");
    await agent.invoke({ messages: "on" }, thread);
    expect(told).toEqual(["A/B"]);
    // the head asks nothing
    await expect(answer("again", config as typeof thread)).resolves.toBeDefined();
  });

  it.each(SAVERS)(
    "is for the question that waited when it came, never for the next one: %s",
    async (_name, make) => {
      const paid: number[] = [];
      const pay = tool(
        ({ sum }) => {
          if (interrupt(`pay ${sum}?`) === "yes") paid.push(sum);
          return "paid";
        },
        { name: "pay", description: "", schema: z.object({ sum: z.number() }) },
      );
      const agent = createAgent({
        model: new ScriptedModel(calls(["pay", { sum: 1 }]), calls(["pay", { sum: 2 }]), "Done."),
        tools: [pay],
        checkpointer: make(),
        onBusy: "queue",
      });
      await agent.invoke({ messages: "go" }, thread);
      const yes = () => agent.invoke(new Command({ resume: "yes" }), thread);
      const [first, second] = await Promise.allSettled([yes(), yes()]);
      expect([first?.status, second?.status, paid]).toEqual(["fulfilled", "rejected", [1]]);
      expect(second).toMatchObject({ reason: { code: "NOTHING_TO_RESUME" } });
      await yes();
      expect(paid).toEqual([1, 2]);
    },
  );
});
