import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { Command } from "@skein/graph";
import { describe, expect, it } from "vitest";
import {
  loopGuardMiddleware,
  type LoopGuardOptions,
  type LoopGuardQuestion,
} from "../src/loop-guard/index.ts";
import { call, onThread, recorded, saying, says, type Reply } from "./replies.ts";

/** Calls of a tool that fails unless it is told to work; each reply has ids of its own. */
let serial = 0;
const fails = (at: number) => call("look", { at }, `c${serial++}`);
const same = () => [call("look", { b: 1, a: { d: 1, c: 2 } }, `c${serial++}`)];
const works = () => call("look", { ok: true }, `c${serial++}`);

function setup(options: LoopGuardOptions, ...replies: readonly Reply[]) {
  const look = recorded("look", ({ ok }) => {
    if (ok !== true) throw new Error("not found");
    return "found";
  });
  const model = saying(...replies);
  const make = () =>
    createAgent({ model, tools: [look], checkpointer: saver, middleware: [loopGuardMiddleware(options)] });
  const saver = new MemorySaver();
  const alerts = () =>
    model.prompts.flatMap((prompt, at) =>
      prompt.some((message) => message.text.startsWith("[loop guard]")) ? [at] : [],
    );
  return { agent: make(), make, model, look, alerts, thread: onThread("t") };
}

const many = (count: number): Reply[] => Array.from({ length: count }, (_none, at) => [fails(at)]);
const questionOf = (result: { __interrupt__?: readonly { value?: unknown }[] }) =>
  result.__interrupt__?.[0]?.value as LoopGuardQuestion | undefined;

describe("loop guard (E4)", () => {
  it("3 identical failing calls: the model is told, once, and the thread is not", async () => {
    const turned = [call("look", { a: { c: 2, d: 1 }, b: 1 }, "turned")];
    const { agent, model, alerts, thread } = setup({}, same(), same(), turned, [works()], "done");
    const { messages } = await agent.invoke(says("go"), thread);
    expect(alerts()).toEqual([3]);
    expect(model.prompts[3]?.at(-1)?.text).toContain('look({"a":{"c":2,"d":1},"b":1}) failed 3 times');
    expect(messages.some((message) => message.text.includes("[loop guard]"))).toBe(false);
    expect(messages.at(-1)?.text).toBe("done");
  });

  it("a call that worked in between, or with other arguments, is no repetition", async () => {
    const { agent, alerts, thread } = setup({}, [fails(1)], [fails(1)], [fails(2)], "done");
    await agent.invoke(says("go"), thread);
    expect(alerts()).toEqual([]);
  });

  it("5 failures one after the other: the user is asked, once; their advice reaches the model", async () => {
    const { agent, make, model, look, thread } = setup({}, ...many(5), "thanks");
    const question = questionOf(await agent.invoke(says("go"), thread));
    expect(question).toMatchObject({ type: "loop-guard", failures: 5 });
    expect(question?.lastError).toContain("not found");
    expect(look.calls).toHaveLength(5);
    const { messages } = await make().invoke(new Command({ resume: "look elsewhere" }), thread);
    expect(model.prompts.at(-1)?.at(-1)?.text).toBe("look elsewhere");
    expect(messages.at(-1)?.text).toBe("thanks");
  });

  it("the user may stop it", async () => {
    const { agent, model, thread } = setup({}, ...many(5), "never");
    await agent.invoke(says("go"), thread);
    const { messages } = await agent.invoke(new Command({ resume: "stop" }), thread);
    expect(messages.at(-1)?.text).toBe("Stopped: 5 tool calls failed one after the other.");
    expect(model.prompts).toHaveLength(5);
  });

  it("a success in between begins the row anew", async () => {
    const { agent, thread } = setup({}, ...many(4), [works()], [fails(9)], "done");
    expect((await agent.invoke(says("go"), thread)).messages.at(-1)?.text).toBe("done");
  });

  it("8 errors of 10: the run ends, also when the user said to go on", async () => {
    const { agent, model, thread } = setup({}, ...many(20));
    await agent.invoke(says("go"), thread);
    const { messages } = await agent.invoke(new Command({ resume: "continue" }), thread);
    expect(messages.at(-1)?.text).toBe("Stopped: 8 of the last 10 tool calls failed.");
    expect(model.prompts).toHaveLength(8);
  });

  it("only the last 10 calls count", async () => {
    const mixed = Array.from({ length: 30 }, (_none, at): Reply => (at % 4 === 3 ? [works()] : [fails(at)]));
    const { agent, thread } = setup({}, ...mixed, "done");
    const { messages } = await agent.invoke(says("go"), { ...thread, recursionLimit: 200 });
    // 3 of 4 fail: 8 of 10 at most once the window is full
    expect(messages.at(-1)?.text).toBe("Stopped: 8 of the last 10 tool calls failed.");
    const half = Array.from({ length: 30 }, (_none, at): Reply => (at % 2 === 1 ? [works()] : [fails(at)]));
    const calm = setup({}, ...half, "done");
    const end = await calm.agent.invoke(says("go"), { ...calm.thread, recursionLimit: 200 });
    expect(end.messages.at(-1)?.text).toBe("done");
  });

  it("parallel calls count each; a new run begins at nothing; nobody need be asked", async () => {
    const five = Array.from({ length: 5 }, (_none, at) => fails(at));
    const { agent, thread } = setup({ onStuck: "stop" }, five, [fails(1)], "done");
    const first = await agent.invoke(says("go"), thread);
    expect(first.messages.at(-1)?.text).toContain("Stopped: 5 tool calls");
    const second = await agent.invoke(says("again"), thread);
    expect(second.messages.at(-1)?.text).toBe("done");
  });

  it("options that can't be are refused", () => {
    for (const wrong of [
      { errors: 0 },
      { window: 5 },
      { identicalFailures: 1.5 },
      { onStuck: "cry" as "ask" },
    ]) {
      expect(() => loopGuardMiddleware(wrong)).toThrowError(
        expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
      );
    }
  });
});
