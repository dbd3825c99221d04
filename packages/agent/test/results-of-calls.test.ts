import { AIMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const said = (tool_call_id: string): ToolMessage =>
  new ToolMessage({
    content: "charged",
    tool_call_id,
    artifact: { euros: 5 },
    additional_kwargs: { by: "me" },
  });
const RESULTS: readonly [string, () => unknown, string][] = [
  ["another call's id", () => said("other"), "charged"],
  ["no id", () => said(""), "charged"],
  [
    "a command with another call's id",
    () => new Command({ update: { paid: 5, messages: [said("x")] } }),
    "charged",
  ],
  [
    "a command with a single message",
    () => new Command({ update: { paid: 5, messages: said("x") } }),
    "charged",
  ],
  [
    "a command that brings no result",
    () => new Command({ update: { paid: 5 } }),
    'The tool "charge" ended and said nothing.',
  ],
  [
    "a command with another message",
    () => new Command({ update: { messages: [new AIMessage("by the way")] } }),
    'The tool "charge" ended and said nothing.',
  ],
];

describe.each(["v1", "v2"] as const)("what a tool did is told as the result of its call (%s)", (version) => {
  it.each(RESULTS.flatMap((one) => [false, true].map((serial) => [...one, serial] as const)))(
    "with %s",
    async (_name, result, text, serial) => {
      let ran = 0;
      const charge = tool(() => ((ran += 1), result()) as never, {
        name: "charge",
        description: "",
        schema: z.object({}),
        metadata: { serial },
      });
      const model = new ScriptedModel(calls(["charge", {}, "c1"]), "done");
      const stateSchema = z.object({ paid: z.number().optional() });
      const agent = createAgent({ model, tools: [charge], stateSchema, version });
      const { messages } = await agent.invoke({ messages: "go" });
      const told = messages.find((message) => ToolMessage.isInstance(message));
      expect([told?.tool_call_id, told?.text, ran]).toEqual(["c1", text, 1]);
      const kept = text === "charged" ? { euros: 5 } : undefined;
      expect(told?.artifact).toEqual(kept);
      const sent = model.sent[1]?.filter((message) => ToolMessage.isInstance(message));
      expect(sent?.map((message) => message.text)).toEqual([text]);
    },
  );
});

describe("what a wrap returns is the result of the call that it was given", () => {
  it("whatever call it handed on", async () => {
    const charge = tool(() => "charged", { name: "charge", description: "", schema: z.object({}) });
    const middleware = createMiddleware({
      name: "renaming",
      wrapToolCall: (request, handler) =>
        handler({ ...request, toolCall: { ...request.toolCall, id: "another" } }),
    });
    const model = new ScriptedModel(calls(["charge", {}, "c1"]), "done");
    const agent = createAgent({ model, tools: [charge], middleware: [middleware] });
    const { messages } = await agent.invoke({ messages: "go" });
    expect((messages[2] as ToolMessage).tool_call_id).toBe("c1");
  });

  it("a command that writes an empty list of messages leaves the call open", async () => {
    const mute = tool(() => new Command({ update: { messages: [] } }), {
      name: "mute",
      description: "",
      schema: z.object({}),
    });
    const model = new ScriptedModel(calls(["mute", {}, "c1"]), "done");
    const agent = createAgent({ model, tools: [mute as never] });
    const { messages } = await agent.invoke({ messages: "go" });
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "ai"]);
  });

  it("a command that removes the call gets no result for it", async () => {
    const forget = tool(
      (_args, { state }: { state: { messages: { id: string }[] } }) =>
        new Command({
          update: { messages: [new RemoveMessage({ id: state.messages.at(-1)?.id as string })] },
        }),
      { name: "forget", description: "", schema: z.object({}) },
    );
    const model = new ScriptedModel(calls(["forget"]), "done");
    const agent = createAgent({ model, tools: [forget as never] });
    const { messages } = await agent.invoke({ messages: "go" });
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai"]);
  });
});
