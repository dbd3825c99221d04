import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { expect, it } from "vitest";
import { type Engine, oracle, ours } from "../src/engines.ts";
import { thread } from "../src/scenarios/kit.ts";

/** An entrypoint over a saver; `ran` notes each task that really runs, and on which engine. */
function workflowOf({ lg, name }: Engine, checkpointer: MemorySaver, ran: string[]) {
  const work = lg.task("work", async (what: string) => {
    ran.push(`${what} on ${name}`);
    return what.toUpperCase();
  });
  return lg.entrypoint({ name: "workflow", checkpointer }, async (what: string) => {
    const before = lg.getPreviousState<string | undefined>() ?? "nothing";
    const first = await work(what);
    const answer = lg.interrupt<string, string>(`${first}?`);
    const second = await work(answer);
    return lg.entrypoint.final({ value: [before, first, second], save: second });
  });
}

it.each([
  [oracle, ours],
  [ours, oracle],
])(
  "a workflow begun on $name goes on on the other: tasks, answers and the previous state",
  async (from, to) => {
    const saver = new MemorySaver();
    const ran: string[] = [];
    const begun = workflowOf(from, saver, ran);
    const other = workflowOf(to, saver, ran);
    await begun.invoke("a", thread("1"));
    const state = await other.getState(thread("1"));
    expect([state.next, state.tasks[0]?.interrupts[0]?.value]).toEqual([["workflow"], "A?"]);
    const resume = new to.lg.Command({ resume: "b" });
    expect(await other.invoke(resume, thread("1"))).toEqual(["nothing", "A", "B"]);
    expect(ran).toEqual([`a on ${from.name}`, `b on ${to.name}`]);
    await begun.invoke("c", thread("1"));
    expect(await begun.invoke(new from.lg.Command({ resume: "d" }), thread("1"))).toEqual(["B", "C", "D"]);
  },
);
