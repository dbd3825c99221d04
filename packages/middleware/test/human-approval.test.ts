import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { Command } from "@skein/graph";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  humanInTheLoopMiddleware,
  type Decision,
  type HITLRequest,
  type HumanInTheLoopOptions,
} from "../src/human-approval/index.ts";
import { call, inLines, onThread, recorded, saying, says } from "./replies.ts";

const both = [call("pay", { sum: 7 }, "c1"), call("mail", { to: "ann" }, "c2")];

function setup(options: HumanInTheLoopOptions, model = saying(both, "done"), saver = new MemorySaver()) {
  const pay = recorded("pay");
  const mail = recorded("mail");
  const make = () =>
    createAgent({
      model,
      tools: [pay, mail],
      checkpointer: saver,
      middleware: [humanInTheLoopMiddleware(options)],
    });
  const thread = onThread("t");
  const agent = make();
  const ask = () => agent.invoke(says("go"), thread);
  const decide = (...decisions: readonly Decision[]) =>
    agent.invoke(new Command({ resume: { decisions } }), thread);
  return { agent, make, model, pay, mail, thread, ask, decide };
}

const questionOf = (result: { __interrupt__?: readonly { value?: unknown }[] }): HITLRequest | undefined =>
  result.__interrupt__?.[0]?.value as HITLRequest | undefined;

afterEach(() => {
  vi.useRealTimers();
});

describe("human approval (E4): who is asked", () => {
  it.each([
    ["none", "none" as const, []],
    ["no tool named", {}, []],
    ["all", "all" as const, ["pay", "mail"]],
    ["selective", { pay: true, mail: false }, ["pay"]],
    ["by a condition", { mail: { allowedDecisions: ["approve" as const], when: () => true } }, ["mail"]],
    ["not by a condition", { mail: { allowedDecisions: ["approve" as const], when: () => false } }, []],
    ["custom", ({ toolCall }: { toolCall: { args: object } }) => "sum" in toolCall.args, ["pay"]],
    ["names of Object.prototype are no rules", { toString: true }, []],
  ])("%s", async (_name, interruptOn, waiting) => {
    const { ask, pay, mail } = setup({ interruptOn });
    const question = questionOf(await ask());
    expect(question?.actionRequests.map(({ name }) => name) ?? []).toEqual(waiting);
    expect(pay.calls.length + mail.calls.length).toBe(waiting.length === 0 ? 2 : 0);
  });

  it("arguments that JSON does not know are shown", async () => {
    const { ask } = setup({ interruptOn: "all" }, saying([call("pay", { sum: 2n ** 64n }, "c1")], "done"));
    const [request] = questionOf(await ask())?.actionRequests ?? [];
    expect(request?.description).toContain('"sum": "18446744073709551616"');
  });

  it("a run's context goes before the options", async () => {
    const { agent, thread } = setup({ interruptOn: "none" });
    const question = questionOf(
      await agent.invoke(says("go"), {
        ...thread,
        context: { interruptOn: { pay: true }, descriptionPrefix: "Ask Ann" },
      }),
    );
    expect(question?.actionRequests).toEqual([
      { name: "pay", args: { sum: 7 }, description: 'Ask Ann\n\nTool: pay\nArgs: {\n  "sum": 7\n}' },
    ]);
  });

  it("the question carries LangChain's requests and configs", async () => {
    const { ask } = setup({
      interruptOn: {
        pay: true,
        mail: {
          allowedDecisions: ["approve", "respond"],
          description: ({ args }) => `Mail to ${String(args["to"])}`,
          argsSchema: { type: "object" },
        },
      },
    });
    expect(questionOf(await ask())).toEqual({
      actionRequests: [
        {
          name: "pay",
          args: { sum: 7 },
          description: 'Tool execution requires approval\n\nTool: pay\nArgs: {\n  "sum": 7\n}',
        },
        { name: "mail", args: { to: "ann" }, description: "Mail to ann" },
      ],
      reviewConfigs: [
        { actionName: "pay", allowedDecisions: ["approve", "edit", "reject"] },
        { actionName: "mail", allowedDecisions: ["approve", "respond"], argsSchema: { type: "object" } },
      ],
    });
  });
});

describe("human approval (E4): what is decided", () => {
  const everything: HumanInTheLoopOptions = {
    interruptOn: () => ({ allowedDecisions: ["approve", "edit", "reject", "respond"] }),
  };

  it("approved calls run, each once", async () => {
    const { ask, decide, pay, mail } = setup(everything);
    await ask();
    const { messages } = await decide({ type: "approve" }, { type: "approve" });
    expect([pay.calls, mail.calls]).toEqual([[{ sum: 7 }], [{ to: "ann" }]]);
    expect(messages.at(-1)?.text).toBe("done");
  });

  it("an edited call runs as edited, and the reply says so in both tracks", async () => {
    const { agent, ask, decide, pay, mail, thread } = setup(everything);
    await ask();
    await decide({ type: "edit", editedAction: { name: "pay", args: { sum: 1 } } }, { type: "approve" });
    expect([pay.calls, mail.calls]).toEqual([[{ sum: 1 }], [{ to: "ann" }]]);
    const { messages, full_messages } = (await agent.getState(thread)).values;
    for (const track of [messages, full_messages]) {
      expect(inLines(track)[1]).toBe('ai:  pay({"sum":1}) mail({"to":"ann"})');
    }
  });

  it("an edit says nothing but name and arguments: the call keeps its id", async () => {
    const { ask, decide, mail } = setup({ interruptOn: { mail: true } });
    await ask();
    const editedAction = { name: "mail", args: { to: "bob" }, id: "c1", type: "other" };
    const { messages } = await decide({ type: "edit", editedAction });
    expect(mail.calls).toEqual([{ to: "bob" }]);
    const ids = messages.flatMap((message) => (ToolMessage.isInstance(message) ? message.tool_call_id : []));
    expect(ids).toEqual(["c1", "c2"]);
    expect((messages[1] as AIMessage).tool_calls?.[1]).toEqual(call("mail", { to: "bob" }, "c2"));
  });

  it("what a provider keeps of an edited call beside tool_calls changes too", async () => {
    const reply = new AIMessage({
      content: [{ type: "tool_use", id: "c1", name: "pay", input: { sum: 7 } }],
      additional_kwargs: {
        tool_calls: [{ id: "c1", type: "function", function: { name: "pay", arguments: "" } }],
      },
      tool_calls: [call("pay", { sum: 7 }, "c1")],
    });
    const { ask, decide, agent, thread } = setup(everything, saying(reply, "done"));
    await ask();
    await decide({ type: "edit", editedAction: { name: "pay", args: { sum: 1 } } });
    const edited = (await agent.getState(thread)).values.messages[1];
    expect(edited?.content).toEqual([{ type: "tool_use", id: "c1", name: "pay", input: { sum: 1 } }]);
    expect(edited?.additional_kwargs["tool_calls"]).toBeUndefined();
  });

  it("a rejected call does not run, the approved one beside it does", async () => {
    const { ask, decide, pay, mail, model } = setup(everything);
    await ask();
    await decide({ type: "reject", message: "too much" }, { type: "approve" });
    expect([pay.calls, mail.calls]).toEqual([[], [{ to: "ann" }]]);
    expect(inLines(model.prompts.at(-1) ?? []).slice(2)).toEqual(["tool!: too much", "tool: mail done"]);
  });

  it("when every call is rejected or answered, the model goes on at once", async () => {
    const { ask, decide, pay, mail, model } = setup(everything);
    await ask();
    const { messages } = await decide({ type: "reject" }, { type: "respond", message: "Ann knows" });
    expect([pay.calls, mail.calls]).toEqual([[], []]);
    expect(inLines(model.prompts.at(-1) ?? []).slice(2)).toEqual([
      'tool!: The user rejected the call of "pay". It was not run.',
      "tool: Ann knows",
    ]);
    expect(messages.at(-1)?.text).toBe("done");
  });

  it("the answer may come in another process", async () => {
    const { ask, make, pay, mail, thread } = setup(everything);
    await ask();
    await make().invoke(
      new Command({ resume: { decisions: [{ type: "approve" }, { type: "reject" }] } }),
      thread,
    );
    expect([pay.calls.length, mail.calls.length]).toEqual([1, 0]);
  });
});

describe("human approval fails closed (E3)", () => {
  it.each([
    ["nothing", undefined],
    ["no list", { decisions: "approve" }],
    ["too few", { decisions: [{ type: "approve" }] }],
    ["not allowed", { decisions: [{ type: "approve" }, { type: "respond", message: "x" }] }],
    ["no decision", { decisions: [{ type: "approve" }, {}] }],
    [
      "an edit without arguments",
      { decisions: [{ type: "edit", editedAction: { name: "pay" } }, { type: "approve" }] },
    ],
    ["a reason that is no text", { decisions: [{ type: "reject", message: 7 }, { type: "approve" }] }],
    ["time is not up", { timedOut: true }],
  ])("a wrong answer runs nothing, and the question is asked again: %s", async (_name, resume) => {
    const { agent, ask, decide, pay, mail, thread } = setup({ interruptOn: "all" });
    const asked = questionOf(await ask());
    const again = questionOf(await agent.invoke(new Command({ resume: resume ?? {} }), thread));
    expect(again).toEqual({ ...asked, error: expect.any(String) });
    expect(pay.calls.length + mail.calls.length).toBe(0);
    await decide({ type: "approve" }, { type: "approve" });
    expect([pay.calls.length, mail.calls.length]).toEqual([1, 1]);
  });

  it("a rule that throws runs nothing", async () => {
    const { ask, pay, mail } = setup({
      interruptOn: () => {
        throw new Error("no rule");
      },
    });
    await expect(ask()).rejects.toThrow("no rule");
    expect(pay.calls.length + mail.calls.length).toBe(0);
  });

  it.each([
    ["a rule without decisions", { interruptOn: { pay: { allowedDecisions: [] } } }],
    ["an unknown decision", { interruptOn: { pay: { allowedDecisions: ["perhaps"] } } }],
    ["an unknown mode", { interruptOn: "some" }],
    ["a timeout that is no time", { timeout: { after: Number.NaN } }],
    [
      "an edit as a policy",
      { timeout: { after: 1, policy: { type: "edit", editedAction: { name: "a", args: {} } } } },
    ],
  ])("options that can't be are refused: %s", (_name, options) => {
    expect(() => humanInTheLoopMiddleware(options as HumanInTheLoopOptions)).toThrowError(
      expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
    );
  });
});

function at(time: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: time });
}

describe("human approval: timeout", () => {
  const after = 60_000;

  it("the question says when it expires, and it does not move when the run is resumed", async () => {
    at(1_000_000);
    const { agent, ask, thread } = setup({ interruptOn: "all", timeout: { after } });
    expect(questionOf(await ask())?.expiresAt).toBe(1_060_000);
    at(1_030_000);
    const again = questionOf(await agent.invoke(new Command({ resume: { decisions: [] } }), thread));
    expect(again).toMatchObject({
      expiresAt: 1_060_000,
      error: "2 calls wait for a decision and 0 were given.",
    });
  });

  it("in time, the person decides", async () => {
    at(1_000_000);
    const { ask, decide, pay } = setup({ interruptOn: "all", timeout: { after } });
    await ask();
    at(1_059_999);
    await decide({ type: "approve" }, { type: "reject" });
    expect(pay.calls).toHaveLength(1);
  });

  it("too late, an approval counts no more: rejected by default", async () => {
    at(1_000_000);
    const { ask, decide, pay, mail, model } = setup({ interruptOn: "all", timeout: { after } });
    await ask();
    at(1_060_000);
    await decide({ type: "approve" }, { type: "approve" });
    expect(pay.calls.length + mail.calls.length).toBe(0);
    expect(model.prompts.at(-1)?.at(-1)?.text).toBe(
      "Nobody approved this call within 60 seconds. It was not run.",
    );
  });

  it("who resumes for the clock's sake gets the policy", async () => {
    at(1_000_000);
    const { agent, ask, pay, mail, thread } = setup({
      interruptOn: "all",
      timeout: { after, policy: { type: "approve" } },
    });
    await ask();
    at(2_000_000);
    await agent.invoke(new Command({ resume: { timedOut: true } }), thread);
    expect([pay.calls.length, mail.calls.length]).toEqual([1, 1]);
  });
});
