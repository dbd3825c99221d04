import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent, createMiddleware, type AnyAgentMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { shortenedMark } from "@skein/context";
import { describe, expect, it } from "vitest";
import { piiMiddleware } from "../src/pii/index.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { toolOutputOffloadingMiddleware } from "../src/tool-output-offloading/index.ts";
import { call, onThread, recorded, saying, type Reply } from "./replies.ts";

const thread = onThread("t");
const LONG = `bob@example.com ${"and so on ".repeat(500)}`;

function setup(middleware: readonly AnyAgentMiddleware[], ...replies: readonly Reply[]) {
  const model = saying(...replies);
  const look = recorded("look", () => LONG);
  return { model, agent: createAgent({ model, tools: [look], checkpointer: new MemorySaver(), middleware }) };
}

const summarizing = () =>
  summarizationMiddleware({
    summarizer: () => "The user is bob@example.com.",
    trigger: { messages: 6 },
    keep: { messages: 2 },
    placement: "user",
  });

const offloading = () => toolOutputOffloadingMiddleware({ limit: 100 });

const textsOf = (messages: readonly BaseMessage[]): string[] => messages.map(({ text }) => text);

describe("hooks that edit what only the context shows (B2, B3)", () => {
  it("a summary in which PII is replaced stays out of the history", async () => {
    const { agent, model } = setup([summarizing(), piiMiddleware("email")], "Noted.");
    const said = Array.from({ length: 8 }, (_, turn) => `Question ${turn}: ${"which is long, ".repeat(20)}`);
    for (const messages of said) await agent.invoke({ messages }, thread);
    const { values } = await agent.getState(thread);
    expect(textsOf(values.full_messages)).toEqual(said.flatMap((question) => [question, "Noted."]));
    expect(values.messages[0]?.text).toContain("[REDACTED_EMAIL]");
    expect(JSON.stringify(model.prompts)).not.toContain("bob@example.com");
  });

  it("an output that is shown shortened stays whole in the history", async () => {
    const pii = piiMiddleware("email", { applyToToolResults: true });
    const { agent, model } = setup([offloading(), pii], [call("look")], "Done.");
    await agent.invoke({ messages: "Mail ann@example.com" }, thread);
    const { values } = await agent.getState(thread);
    expect(values.full_messages[2]?.text).toBe(LONG);
    expect(shortenedMark(values.messages[2] as BaseMessage)).toMatchObject({ by: "offloaded" });
    expect(JSON.stringify(model.prompts)).not.toContain("bob@example.com");
  });

  it("what else the hook writes reaches both tracks", async () => {
    const shouting = createMiddleware({
      name: "shouting",
      beforeModel: ({ messages }) => ({
        messages: messages
          .filter((one) => one.type === "tool" || one.type === "human")
          .map((one) => Object.assign(copyOf(one), { content: one.text.toUpperCase() })),
      }),
    });
    const { agent } = setup([offloading(), shouting], [call("look")], "Done.");
    await agent.invoke({ messages: [new HumanMessage({ id: "q", content: "Look" })] }, thread);
    const { values } = await agent.getState(thread);
    const texts = textsOf(values.messages);
    expect([texts[0], texts[2]?.startsWith("BOB@EXAMPLE.COM AND")]).toEqual(["LOOK", true]);
    expect(textsOf(values.full_messages)).toEqual(["LOOK", "", LONG, "Done."]);
  });

  it("an output that a hook writes whole again is an ordinary message", async () => {
    const whole = createMiddleware({
      name: "whole",
      beforeModel: ({ messages }) => {
        const shown = messages.find((one) => shortenedMark(one) !== undefined);
        if (shown === undefined) return undefined;
        return { messages: [Object.assign(copyOf(shown), { content: "Whole.", additional_kwargs: {} })] };
      },
    });
    const { agent } = setup([offloading(), whole], [call("look")], "Done.");
    await agent.invoke({ messages: "Look" }, thread);
    const { values } = await agent.getState(thread);
    expect(values.messages[2]?.text).toBe("Whole.");
    expect(values.full_messages[2]?.text).toBe("Whole.");
  });
});

const copyOf = (message: BaseMessage): BaseMessage =>
  Object.assign(Object.create(Object.getPrototypeOf(message) as object) as BaseMessage, message);
