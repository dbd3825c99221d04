import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Command, interrupt } from "@skein/graph";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { newFolder, pairsOfSavers, seen } from "./busy-runs.ts";
import { deferred } from "./deferred.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" }, durability: "sync" as const };
const conflict = expect.objectContaining({ code: "THREAD_CONFLICT" });
const { newPath, remove } = newFolder();
afterAll(remove);

/** Where the run that is resumed stops: in the tool that asked, or in the model after it. */
const PLACES = ["tool", "model"] as const;
const WAITING = ["human: hello", "ai: hi", "human: pay", "ai: "];

describe.each(pairsOfSavers(newPath))("rollback of a run that is a resume, %s", (_, make) => {
  async function meet(place: (typeof PLACES)[number]) {
    const [saver, other] = make();
    const [begun, gate] = [deferred(), deferred()];
    const ran: string[] = [];
    const stopHere = async (where: string, what: unknown) => {
      if (where !== place || what !== 1) return;
      begun.resolve();
      await gate.done;
    };
    const fields = { description: "", schema: z.object({}) };
    const agentOf = (checkpointer: typeof saver) => {
      const pay = tool(
        async () => {
          const answer: unknown = interrupt("sure?");
          ran.push(`pay ${String(answer)}`);
          await stopHere("tool", answer);
          return `paid ${String(answer)}`;
        },
        { name: "pay", ...fields },
      );
      const note = tool(() => (ran.push("note"), "noted"), { name: "note", ...fields });
      const script = ["hi", calls(["note", {}, "n"], ["pay", {}, "p"])];
      const model = new ScriptedModel(...script, async (messages) => {
        if (messages.some(({ text }) => text === "paid 1")) await stopHere("model", 1);
        return "done";
      });
      // the second agent's script begins behind the question
      if (checkpointer === other && other !== saver) model.script.splice(0, 2);
      model.script.push("done", "done", "done");
      return createAgent({ model, tools: [note, pay], checkpointer });
    };
    const agent = agentOf(saver);
    await agent.invoke({ messages: "hello" }, thread);
    await agent.invoke({ messages: "pay" }, thread);
    const before = await agent.getState(thread);
    const running = agent.invoke(new Command({ resume: 1 }), thread);
    running.catch(() => undefined);
    await begun.done;
    return { agent: other === saver ? agent : agentOf(other), before, running, ran, letGo: gate.resolve };
  }

  it.each(PLACES)("its question waits for another answer, and what was asked stays (%s)", async (place) => {
    const { agent, running, ran, letGo } = await meet(place);
    const options = { ...thread, onBusy: "rollback" as const };
    const { messages } = await agent.invoke(new Command({ resume: 2 }), options);
    letGo();
    await expect(running).rejects.toEqual(conflict);
    const all = [...WAITING, "tool: noted", "tool: paid 2", "ai: done"];
    expect(seen(messages)).toEqual(all);
    expect(seen((await agent.getState(thread)).values.full_messages)).toEqual(all);
    expect(ran).toEqual(["note", "pay 1", "pay 2"]);
  });

  it.each(PLACES)("a message finds the thread as it was before the answer (%s)", async (place) => {
    const { agent, before, running, letGo } = await meet(place);
    const options = { ...thread, onBusy: "rollback" as const };
    const { messages } = await agent.invoke({ messages: "never mind" }, options);
    letGo();
    await expect(running).rejects.toEqual(conflict);
    expect(seen(messages)).toEqual([...WAITING, "human: never mind", "tool: noted", "ai: done"]);
    const states: { id: unknown; interrupts: unknown }[] = [];
    for await (const { config, tasks } of agent.getStateHistory(thread)) {
      const interrupts = tasks.flatMap((task) => task.interrupts);
      states.push({ id: config.configurable?.["checkpoint_id"], interrupts });
    }
    expect(states).toContainEqual({
      id: before.config.configurable?.["checkpoint_id"],
      interrupts: before.tasks.flatMap(({ interrupts }) => interrupts),
    });
  });
});

describe("rollback of a resume that an agent in a tool asked for", () => {
  it.each(["answer", "message"] as const)("keeps what was said before the question (%s)", async (next) => {
    const [begun, gate] = [deferred(), deferred()];
    const fields = { description: "", schema: z.object({}) };
    const pay = tool(
      async () => {
        const answer: unknown = interrupt("sure?");
        begun.resolve();
        if (answer === 1) await gate.done;
        return `paid ${String(answer)}`;
      },
      { name: "pay", ...fields },
    );
    const inner = createAgent({
      model: new ScriptedModel(calls(["pay", {}, "p"]), "inner is done"),
      tools: [pay],
    });
    const ask = tool(
      async (_, config) => (await inner.invoke({ messages: "pay" }, config)).messages.at(-1)?.text ?? "",
      { name: "ask", ...fields },
    );
    const model = new ScriptedModel(calls(["ask", {}, "a"]), "done");
    const agent = createAgent({ model, tools: [ask], checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "go" }, thread);
    const running = agent.invoke(new Command({ resume: 1 }), thread);
    running.catch(() => undefined);
    await begun.done;
    const input = next === "answer" ? new Command({ resume: 2 }) : { messages: "never mind" };
    const { messages } = await agent.invoke(input, { ...thread, onBusy: "rollback" });
    gate.resolve();
    await expect(running).rejects.toEqual(conflict);
    const came = next === "answer" ? "tool: inner is done" : "human: never mind";
    expect(seen(messages)).toEqual(["human: go", "ai: ", came, "ai: done"]);
  });
});
