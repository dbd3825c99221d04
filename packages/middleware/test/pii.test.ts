import { AIMessage, AIMessageChunk, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { createAgent, toolStrategy, type AnyAgentMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  detectCreditCard,
  detectEmail,
  detectIP,
  detectMacAddress,
  detectUrl,
  PIIDetectionError,
  piiMiddleware,
  type PIIDetector,
} from "../src/pii/index.ts";
import { call, inLines, onThread, recorded, saying, says, type Reply } from "./replies.ts";

function setup(middleware: readonly AnyAgentMiddleware[], ...replies: readonly Reply[]) {
  const model = saying(...replies);
  const look = recorded("look", () => "write to bob@example.com");
  const agent = createAgent({ model, tools: [look], checkpointer: new MemorySaver(), middleware });
  return { agent, model, thread: onThread("t") };
}

const textsOf = (detect: PIIDetector, content: string): string[] => detect(content).map(({ text }) => text);

const found: PIIDetector = (content) => {
  const start = content.indexOf("KEY");
  return start < 0
    ? []
    : [
        { text: "EY", start: start + 1, end: start + 3 },
        { text: "KEY", start, end: start + 3 },
      ];
};
const wrong: PIIDetector = () => [{ text: "x", start: 5, end: 99 }];
const failing: PIIDetector = () => {
  throw new Error("no detector");
};

describe("PII (E4): built-in detectors", () => {
  it.each([
    [
      "email",
      detectEmail,
      "ann@example.com or b.o+b@mail.example.co.uk, not @home or a@b",
      ["ann@example.com", "b.o+b@mail.example.co.uk"],
    ],
    [
      "card",
      detectCreditCard,
      "4111 1111 1111 1111, 4111-1111-1111-1112, 378282246310005 and 1700000000000",
      ["4111 1111 1111 1111", "378282246310005"],
    ],
    [
      "card with numbers around it",
      detectCreditCard,
      "7 4242 4242 4242 4242 10.0.0.1; 4242 4242 4242 4242 4111 1111 1111 1111 08/27; not 4242424242424242.5",
      ["4242 4242 4242 4242", "4242 4242 4242 4242", "4111 1111 1111 1111"],
    ],
    [
      "ip",
      detectIP,
      "192.168.0.1 and 010.000.000.001 but not 256.1.1.1, 1.2.3 or 1.2.3.4.5",
      ["192.168.0.1", "010.000.000.001"],
    ],
    [
      "mac",
      detectMacAddress,
      "aa:bb:cc:dd:ee:ff, AA-BB-CC-DD-EE-0F, not aa:bb:cc",
      ["aa:bb:cc:dd:ee:ff", "AA-BB-CC-DD-EE-0F"],
    ],
    [
      "url",
      detectUrl,
      "see https://example.com/a?b=c and www.example.org, not example.net",
      ["https://example.com/a?b=c", "www.example.org,"],
    ],
  ])("%s", (_name, detect, content, found) => {
    expect(textsOf(detect, content)).toEqual(found);
    for (const { text, start, end } of detect(content)) expect(content.slice(start, end)).toBe(text);
  });

  it("text made to be slow is searched in a moment", () => {
    const texts = [
      "a.".repeat(100_000),
      "a@".repeat(100_000),
      `a@${"b.".repeat(100_000)}`,
      "4 ".repeat(100_000),
      "1.".repeat(100_000),
    ];
    const detectors = [detectEmail, detectCreditCard, detectIP, detectMacAddress, detectUrl];
    for (const text of texts) for (const detect of detectors) expect(detect(text)).toEqual([]);
  }, 20_000);
});

describe("PII (E4): strategies", () => {
  it.each([
    ["redact" as const, "I am [REDACTED_EMAIL]"],
    ["mask" as const, "I am a***@example.com"],
    ["hash" as const, "I am <email_hash:71d4f55f>"],
  ])("%s, in both tracks", async (strategy, expected) => {
    const { agent, model, thread } = setup([piiMiddleware("email", { strategy })], "hello");
    await agent.invoke(says("I am ann@example.com"), thread);
    expect(model.prompts[0]?.[0]?.text).toBe(expected);
    const { messages, full_messages } = (await agent.getState(thread)).values;
    expect([messages[0]?.text, full_messages[0]?.text, full_messages.length]).toEqual([
      expected,
      expected,
      2,
    ]);
  });

  it("block: the model is not called, now or later, until the message is gone (E3)", async () => {
    const { agent, model, thread } = setup([piiMiddleware("email", { strategy: "block" })], "hello");
    const failure = await agent.invoke(says("I am ann@example.com"), thread).catch((error: unknown) => error);
    const error = (
      failure instanceof PIIDetectionError ? failure : (failure as Error).cause
    ) as PIIDetectionError;
    expect(error).toMatchObject({
      code: "PII_DETECTED",
      piiType: "email",
      matches: [{ text: "ann@example.com" }],
    });
    expect(error.message).not.toContain("ann@");
    await expect(agent.invoke(says("And now?"), thread)).rejects.toThrow("personal data");
    expect(model.prompts).toHaveLength(0);
  });

  it("block: nor with a reply that was refused", async () => {
    const options = { strategy: "block" as const, applyToOutput: true };
    const { agent, model, thread } = setup([piiMiddleware("email", options)], "bob@example.com", "hello");
    await expect(agent.invoke(says("Who?"), thread)).rejects.toThrow("personal data");
    await expect(agent.invoke(says("And now?"), thread)).rejects.toThrow("personal data");
    expect(model.prompts).toHaveLength(1);
  });

  it("masks show the end of what is long and nothing of what is short", async () => {
    const card = setup([piiMiddleware("credit_card", { strategy: "mask" })], "ok");
    await card.agent.invoke(says("4111 1111 1111 1111"), card.thread);
    expect(card.model.prompts[0]?.[0]?.text).toBe("****-****-****-1111");
    const pin = setup([piiMiddleware("pin", { strategy: "mask", detector: "\\d{4}" })], "ok");
    await pin.agent.invoke(says("my pin is 1234"), pin.thread);
    expect(pin.model.prompts[0]?.[0]?.text).toBe("my pin is ****");
  });
});

describe("PII (E4): where", () => {
  const reads = [call("look")];

  it("input only by default", async () => {
    const { agent, thread } = setup([piiMiddleware("email")], reads, "it is bob@example.com");
    const { messages } = await agent.invoke(says("ann@example.com?"), thread);
    expect(inLines(messages)).toEqual([
      "human: [REDACTED_EMAIL]?",
      "ai:  look({})",
      "tool: write to bob@example.com",
      "ai: it is bob@example.com",
    ]);
  });

  it("output and tool results when asked for, also by a run's context", async () => {
    const options = { applyToInput: false, applyToOutput: true };
    const { agent, thread } = setup([piiMiddleware("email", options)], reads, "it is bob@example.com");
    const { messages } = await agent.invoke(says("ann@example.com?"), {
      ...thread,
      context: { applyToToolResults: true },
    });
    expect(inLines(messages)).toEqual([
      "human: ann@example.com?",
      "ai:  look({})",
      "tool: write to [REDACTED_EMAIL]",
      "ai: it is [REDACTED_EMAIL]",
    ]);
  });

  it("output: in replies that stood in the context before, too", async () => {
    const options = { applyToOutput: true };
    const { agent, model, thread } = setup([piiMiddleware("email", options)], "hello");
    const earlier = [new HumanMessage("who?"), new AIMessage("bob@example.com")];
    await agent.importMessages(thread, earlier);
    const { messages } = await agent.invoke(says("thanks"), thread);
    expect(model.prompts[0]?.map(({ text }) => text)).toEqual(["who?", "[REDACTED_EMAIL]", "thanks"]);
    expect(messages[1]?.text).toBe("[REDACTED_EMAIL]");
  });

  it("in every user message of the input, and in blocks", async () => {
    const { agent, model, thread } = setup([piiMiddleware("email")], "ok");
    const image = { type: "image_url", image_url: "data:image/png;base64,AA==" };
    await agent.invoke(
      {
        messages: [
          new SystemMessage("support@example.com is ours"),
          new HumanMessage("ann@example.com"),
          new AIMessage("hello"),
          new HumanMessage({ content: [{ type: "text", text: "or bob@example.com" }, image] }),
        ],
      },
      thread,
    );
    expect(model.prompts[0]?.map(({ content }) => content)).toEqual([
      "support@example.com is ours",
      "[REDACTED_EMAIL]",
      "hello",
      [{ type: "text", text: "or [REDACTED_EMAIL]" }, image],
    ]);
  });

  it("in the reply that gives a structured response, too", async () => {
    const reply = new AIMessage({ content: "ask bob@example.com", tool_calls: [call("answer", { sum: 3 })] });
    const agent = createAgent({
      model: saying(reply),
      responseFormat: toolStrategy(z.object({ sum: z.number() }).meta({ title: "answer" })),
      middleware: [piiMiddleware("email", { applyToOutput: true })],
    });
    const { messages, structuredResponse } = await agent.invoke(says("go"));
    expect(structuredResponse).toEqual({ sum: 3 });
    expect(messages[1]?.text).toBe("ask [REDACTED_EMAIL]");
  });

  it("what a replaced reply is beside its text stays", async () => {
    const reply = new AIMessage({
      content: "ask bob@example.com",
      id: "r1",
      tool_calls: [call("look")],
      response_metadata: { model_name: "x", output: ["ask bob@example.com"] } as object,
    });
    const { agent, thread } = setup([piiMiddleware("email", { applyToOutput: true })], reply, "done");
    const { messages } = await agent.invoke(says("go"), thread);
    const kept = messages[1] as AIMessage;
    expect(inLines([kept])).toEqual(["ai: ask [REDACTED_EMAIL] look({})"]);
    expect(kept.id).toBe("r1");
    expect(kept.response_metadata).toEqual({ model_name: "x" });
  });
});

/** The hook of a middleware that has seen no message yet. */
function afterModelOf() {
  const { afterModel } = piiMiddleware("N1", { detector: /N?\d+/, strategy: "hash", applyToOutput: true });
  return afterModel as (state: object, runtime: object) => Promise<{ messages: AIMessage[] } | undefined>;
}

describe("PII (E4): own detectors", () => {
  it("text, expression with or without flags, function", async () => {
    for (const detector of ["KEY", /KEY/, /key/giu, /KEY/y, found]) {
      const { agent, model, thread } = setup([piiMiddleware("key", { detector })], "ok");
      await agent.invoke(says("a KEY here"), thread);
      expect(model.prompts[0]?.[0]?.text).toBe("a [REDACTED_KEY] here");
    }
  });

  it.each(["redact", "mask", "hash"] as const)("what was replaced stays as it is: %s", async (strategy) => {
    const numbers = piiMiddleware("N1", { detector: /N?\d+/, strategy });
    const middleware = [numbers, piiMiddleware("letters", { detector: /RED|x/, strategy })];
    const { agent, model, thread } = setup(middleware, [call("look")], "ok", "ok", "ok", "ok");
    await agent.invoke(says("x: 123456789"), thread);
    await agent.invoke(says("and 7"), thread);
    const first = model.prompts.map((prompt) => prompt[0]?.text);
    expect(new Set(first).size).toBe(1);
    const { messages } = (await agent.getState(thread)).values;
    // what somebody writes in its place is searched
    const edited = new HumanMessage({ id: messages[0]?.id ?? "", content: `${messages[0]?.text} 42` });
    edited.additional_kwargs = { ...messages[0]?.additional_kwargs };
    await agent.invoke({ messages: [edited] }, thread);
    expect(model.prompts.at(-1)?.[0]?.text).not.toContain("42");
  });

  it("what was replaced stays as it is in a chunk, of whose text its message makes blocks", async () => {
    const chunk = new AIMessageChunk({
      id: "a",
      content: "n 4711",
      response_metadata: { output_version: "v1" } as object,
    });
    const replaced = await afterModelOf()({ messages: [chunk] }, { context: {} });
    expect(replaced?.messages[0]?.text).toMatch(/^n <N1_hash:\w+>$/u);
    expect(await afterModelOf()({ messages: replaced?.messages }, { context: {} })).toBeUndefined();
  });

  it("a detector that throws or finds what is not there ends the run (E3)", async () => {
    for (const detector of [wrong, failing]) {
      const { agent, model, thread } = setup([piiMiddleware("key", { detector })], "ok");
      await expect(agent.invoke(says("a KEY"), thread)).rejects.toThrow(/not in the text|no detector/u);
      expect(model.prompts).toHaveLength(0);
    }
  });

  it("unknown types and strategies are refused", () => {
    expect(() => piiMiddleware("phone")).toThrow('no detector for "phone"');
    expect(() => piiMiddleware("toString")).toThrow("no detector");
    expect(() => piiMiddleware("email", { strategy: "hide" as "mask" })).toThrow("strategy must be one of");
  });
});
