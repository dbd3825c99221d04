import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  createAgent,
  createMiddleware,
  providerStrategy,
  StructuredOutputParsingError,
  toolStrategy,
} from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const Sum = z.object({ sum: z.number(), why: z.string().default("because") }).meta({ title: "Sum" });
const Name = z.object({ name: z.string() }).meta({ title: "Name" });
const types = (messages: readonly BaseMessage[]): string[] => messages.map(({ type }) => type);

const add = tool(({ a, b }: { a: number; b: number }) => String(a + b), {
  name: "add",
  description: "Adds",
  schema: z.object({ a: z.number(), b: z.number() }),
});

function circle(): object {
  const self: { self?: object } = {};
  return Object.assign(self, { self });
}

/** A model whose first response does not fit. */
const wrong = (handleError?: boolean | string | (() => string)) => {
  const model = new ScriptedModel(calls(["Sum", { sum: "x" }]), calls(["Sum", { sum: 3 }]));
  const options = handleError === undefined ? {} : { handleError };
  return { model, agent: createAgent({ model, responseFormat: toolStrategy(Sum, options) }) };
};

describe("responseFormat by tool strategy (E7)", () => {
  it.each([
    ["a BigInt", z.string().transform(BigInt), 12n, '{"sum":"12"}'],
    ["a circle", z.string().transform(circle), circle(), '{"sum":"12"}'],
    ["nothing", z.string().transform(() => undefined), undefined, "{}"],
  ])("may be what JSON has no words for: %s", async (_name, sum, expected, text) => {
    const responseFormat = toolStrategy(z.object({ sum }).meta({ title: "Sum" }));
    const model = new ScriptedModel(calls(["Sum", { sum: "12" }]));
    const agent = createAgent({ model, responseFormat });
    const { messages, structuredResponse } = await agent.invoke({ messages: "1 + 2?" });
    expect(structuredResponse).toEqual({ sum: expected });
    expect(messages[2]?.text).toBe(text);
  });
  it.each([Sum, toolStrategy(Sum), providerStrategy(Sum), [Sum, Name]])(
    "an agent is made with it whose model is known by name only",
    (responseFormat) => {
      expect(createAgent({ model: "openai:gpt-5", responseFormat }).graph).toBeDefined();
    },
  );
  it("gives what the schema makes of the call's arguments, typed, and leaves no call without a result", async () => {
    const model = new ScriptedModel(calls(["Sum", { sum: 3 }]));
    const agent = createAgent({ model, responseFormat: toolStrategy(Sum) });
    const result = await agent.invoke({ messages: "1 + 2?" });
    expectTypeOf(result.structuredResponse).toEqualTypeOf<{ sum: number; why: string }>();
    expect(result.structuredResponse).toEqual({ sum: 3, why: "because" });
    expect(types(result.messages)).toEqual(["human", "ai", "tool", "ai"]);
    expect(model.bound[0]?.map((one) => (one as { function: { name: string } }).function.name)).toEqual([
      "Sum",
    ]);
  });

  it("a plain zod schema, a JSON schema and several schemas are asked for by tools", async () => {
    const json = { type: "object", title: "Sum", properties: { sum: { type: "number" } }, required: ["sum"] };
    for (const responseFormat of [Sum, json, [Name, Sum], [toolStrategy(Name), toolStrategy(Sum)].flat()]) {
      const model = new ScriptedModel(calls(["Sum", { sum: 3 }]));
      const { structuredResponse } = await createAgent({ model, responseFormat }).invoke({ messages: "?" });
      expect(structuredResponse).toMatchObject({ sum: 3 });
    }
  });

  it("tells the model what does not fit, by default, by a text, by a function; or throws", async () => {
    const told = async (handleError?: string | (() => string)) => {
      const { model, agent } = wrong(handleError);
      const { structuredResponse } = await agent.invoke({ messages: "?" });
      expect(structuredResponse).toEqual({ sum: 3, why: "because" });
      return model.sent[1]?.at(-1)?.text;
    };
    expect(await told()).toMatch(/tool 'Sum':\n {2}- sum: /u);
    expect(await told("try again")).toBe("try again");
    expect(await told(() => "made")).toBe("made");
    const failing = wrong(false).agent.invoke({ messages: "?" });
    await expect(failing).rejects.toBeInstanceOf(StructuredOutputParsingError);
    await expect(failing).rejects.toMatchObject({ code: "INVALID_RESPONSE", toolName: "Sum" });
  });

  it("several responses at once are all refused, and the model gives one", async () => {
    const model = new ScriptedModel(
      calls(["Sum", { sum: 1 }, "a"], ["Name", { name: "x" }, "b"]),
      calls(["Name", { name: "Ada" }]),
    );
    const agent = createAgent({ model, responseFormat: toolStrategy([Sum, Name]) });
    const { structuredResponse } = await agent.invoke({ messages: "?" });
    expect(structuredResponse).toEqual({ name: "Ada" });
    const refused = model.sent[1]?.filter((message) => ToolMessage.isInstance(message)) ?? [];
    expect(refused.map(({ tool_call_id, status }) => [tool_call_id, status])).toEqual([
      ["a", "error"],
      ["b", "error"],
    ]);
  });

  it("a response beside other calls waits for their results", async () => {
    const model = new ScriptedModel(
      calls(["Sum", { sum: 0 }, "s"], ["add", { a: 1, b: 2 }, "a"]),
      calls(["Sum", { sum: 3 }]),
    );
    const agent = createAgent({ model, tools: [add], responseFormat: Sum });
    const { structuredResponse, messages } = await agent.invoke({ messages: "1 + 2?" });
    expect(structuredResponse).toEqual({ sum: 3, why: "because" });
    expect(messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Not taken yet/u),
      "3",
      '{"sum":3,"why":"because"}',
    ]);
  });

  it("the response is in the thread, and the next turn does not begin with it", async () => {
    const model = new ScriptedModel(calls(["Sum", { sum: 3 }]), "just text");
    const agent = createAgent({ model, responseFormat: toolStrategy(Sum), checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "one" }, thread);
    expect((await agent.getState(thread)).values.structuredResponse).toEqual({ sum: 3, why: "because" });
    const second = await agent.invoke({ messages: "two" }, thread);
    expect(second.structuredResponse).toBeUndefined();
  });

  it("the closing message says what it is told to", async () => {
    const model = new ScriptedModel(calls(["Sum", { sum: 3 }]));
    const responseFormat = toolStrategy(Sum, { toolMessageContent: "Done." });
    const { messages } = await createAgent({ model, responseFormat }).invoke({ messages: "?" });
    expect(messages.at(-1)?.text).toBe("Done.");
  });
});

describe("responseFormat by provider strategy (E7)", () => {
  const settings: unknown[] = [];
  class Native extends ScriptedModel {
    override get profile() {
      return { structuredOutput: true };
    }
    override bindTools(tools: Parameters<ScriptedModel["bindTools"]>[0], kwargs?: unknown) {
      settings.push(kwargs);
      return super.bindTools(tools);
    }
  }

  it("is what a plain schema means to a model whose profile has it", async () => {
    const model = new Native('{"sum":3}');
    const { structuredResponse, messages } = await createAgent({ model, responseFormat: Sum }).invoke({
      messages: "?",
    });
    expect(structuredResponse).toEqual({ sum: 3, why: "because" });
    expect(types(messages)).toEqual(["human", "ai"]);
    expect(settings.at(-1)).toMatchObject({
      response_format: { type: "json_schema", json_schema: { strict: true, schema: { title: "Sum" } } },
      outputConfig: { format: { type: "json_schema" } },
      responseSchema: { title: "Sum" },
    });
  });

  it("strict can be switched off; a schema with a strategy of its own is used as it says", async () => {
    const responseFormat = providerStrategy({ schema: Sum, strict: false });
    await createAgent({ model: new Native('{"sum":1}'), responseFormat }).invoke({ messages: "?" });
    expect(settings.at(-1)).toMatchObject({ response_format: { json_schema: { strict: false } } });
  });

  it("a reply that does not fit fails, and a middleware that asks again gets another one", async () => {
    const responseFormat = providerStrategy(Sum);
    const once = createAgent({ model: new ScriptedModel("no json"), responseFormat });
    await expect(once.invoke({ messages: "?" })).rejects.toMatchObject({ code: "INVALID_RESPONSE" });
    const again = createMiddleware({
      name: "again",
      wrapModelCall: async (request, handler) => {
        try {
          return await handler(request);
        } catch {
          return handler(request);
        }
      },
    });
    const model = new ScriptedModel("no json", '{"sum":3}');
    const agent = createAgent({ model, responseFormat, middleware: [again] });
    expect((await agent.invoke({ messages: "?" })).structuredResponse).toEqual({ sum: 3, why: "because" });
  });

  it("tools run first; the reply after them is the response", async () => {
    const model = new ScriptedModel(calls(["add", { a: 1, b: 2 }]), '{"sum":3}');
    const agent = createAgent({ model, tools: [add], responseFormat: providerStrategy(Sum) });
    expect((await agent.invoke({ messages: "?" })).structuredResponse).toEqual({ sum: 3, why: "because" });
  });
});

describe("responseFormat and middleware", () => {
  it("a wrap can ask for a format, and what it answers in the model's place is read too", async () => {
    const asking = createMiddleware({
      name: "asking",
      wrapModelCall: (request, handler) => handler({ ...request, responseFormat: toolStrategy(Sum) }),
    });
    const asked = createAgent({ model: new ScriptedModel(calls(["Sum", { sum: 3 }])), middleware: [asking] });
    expect(await asked.invoke({ messages: "?" })).toMatchObject({ structuredResponse: { sum: 3 } });
    const cached = createMiddleware({ name: "cached", wrapModelCall: () => new AIMessage('{"sum":4}') });
    const model = new ScriptedModel();
    const agent = createAgent({ model, responseFormat: providerStrategy(Sum), middleware: [cached] });
    expect((await agent.invoke({ messages: "?" })).structuredResponse).toEqual({ sum: 4, why: "because" });
  });

  it.each([
    ["no schema", 3],
    ["two schemas of one name", [Sum, Sum]],
    ["a provider strategy among others", [providerStrategy(Sum), toolStrategy(Name)].flat()],
    ["an empty list", []],
  ])("refuses %s when the agent is made", (_what, responseFormat) => {
    const make = () => createAgent({ model: new ScriptedModel(), responseFormat: responseFormat as never });
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_CONFIGURATION" }));
  });
});
