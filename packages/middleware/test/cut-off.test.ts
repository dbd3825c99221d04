import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { createAgent, type AnyAgentMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { humanInTheLoopMiddleware, type HITLRequest } from "../src/human-approval/index.ts";
import { todoListMiddleware } from "../src/todo-list/index.ts";
import { toolCallLimitMiddleware } from "../src/tool-call-limit/index.ts";
import { call, inLines, onThread, recorded, saying, says } from "./replies.ts";

const cutOff = (...names: readonly string[]) =>
  new AIMessage({
    content: "",
    tool_calls: names.map((name, at) => call(name, { sum: 7 }, `c${at}`)),
    response_metadata: { finish_reason: "length" },
  });

const approval = humanInTheLoopMiddleware({ interruptOn: "all" });

async function run(middleware: AnyAgentMiddleware, reply: AIMessage) {
  const pay = recorded("pay");
  const agent = createAgent({
    model: saying(reply, [call("pay")], "done"),
    tools: [pay],
    checkpointer: new MemorySaver(),
    middleware: [middleware],
  });
  const go = async () => {
    const result = await agent.invoke(says("go"), onThread("t"));
    return { asked: result.__interrupt__ !== undefined, lines: inLines(result.messages) };
  };
  return { go, pay };
}

describe("calls of a reply that was cut off, which the agent does not run", () => {
  it("nobody is asked about; about those of the next reply a person is", async () => {
    const { go, pay } = await run(approval, cutOff("pay"));
    expect(await go()).toEqual({ asked: false, lines: ["human: go", 'ai:  pay({"sum":7})'] });
    expect((await go()).asked).toBe(true);
    expect(pay.calls).toHaveLength(0);
  });

  it("count for nothing", async () => {
    const limit = toolCallLimitMiddleware({ threadLimit: 1 });
    const { go, pay } = await run(limit, cutOff("pay", "pay"));
    expect((await go()).lines).toEqual(["human: go", 'ai:  pay({"sum":7}) pay({"sum":7})']);
    expect((await go()).lines.at(-1)).toBe("ai: done");
    expect(pay.calls).toHaveLength(1);
  });

  it("are not refused: the model is not asked again", async () => {
    const { go } = await run(todoListMiddleware(), cutOff("write_todos", "write_todos"));
    expect((await go()).lines).toHaveLength(2);
  });
});

type Hook = (state: object, runtime: object) => unknown;
const hookOf = ({ afterModel }: { afterModel?: unknown }) => (afterModel as { hook: Hook }).hook;

describe("calls of a reply that was cut off in LangChain's agent, which runs them (E3)", () => {
  const messages = [new HumanMessage("go"), cutOff("pay")];

  it("wait for a person", async () => {
    const questions: HITLRequest[] = [];
    const interrupt = (question: HITLRequest) => {
      questions.push(question);
      return { decisions: [{ type: "reject" }] };
    };
    const update = await hookOf(approval)({ messages }, { context: {}, interrupt });
    expect(questions).toHaveLength(1);
    expect(update).toMatchObject({ jumpTo: "model" });
  });

  it("are limited", () => {
    const limit = toolCallLimitMiddleware({ runLimit: 0 });
    const update = hookOf(limit)(
      { messages, threadToolCallCount: {}, runToolCallCount: {} },
      { context: {} },
    );
    expect(update).toMatchObject({ jumpTo: "model" });
  });
});
