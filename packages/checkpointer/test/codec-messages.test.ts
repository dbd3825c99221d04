import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { describe, expect, it, vi } from "vitest";
import { defaultCodec } from "../src/index.ts";

const roundTrip = (value: unknown): unknown => defaultCodec.decode(defaultCodec.encode(value));

describe("messages", () => {
  const full: BaseMessage[] = [
    new HumanMessage("hi"),
    new HumanMessage({
      id: "1",
      name: "eve",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: "x" },
      ],
    }),
    new AIMessage({
      id: "2",
      content: "text and a call",
      tool_calls: [{ id: "c", name: "f", args: { at: [1, { b: null }] }, type: "tool_call" }],
      invalid_tool_calls: [
        { id: "d", name: "g", args: "{", error: "Malformed args.", type: "invalid_tool_call" },
      ],
      additional_kwargs: { refusal: "no" },
      response_metadata: { model: "m", when: new Date(5) },
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    } as unknown as AIMessageFields),
    new AIMessage({ content: "", tool_calls: [] }),
    new SystemMessage({ content: "be kind", response_metadata: { timestamp: 3 } }),
    new ToolMessage({
      id: "3",
      content: "r",
      tool_call_id: "c",
      status: "error",
      artifact: new Map([["a", 1]]),
      name: "f",
    }),
    new ToolMessage({ content: [{ type: "text", text: "t" }], tool_call_id: "c", metadata: { page: 2 } }),
    new FunctionMessage({ content: "f", name: "fn" }),
    new ChatMessage({ content: "c", role: "critic" }),
    new RemoveMessage({ id: "9" }),
    new AIMessageChunk({
      content: "part",
      tool_call_chunks: [{ index: 0, id: "c", name: "f", args: '{"a":', type: "tool_call_chunk" }],
    }),
    new HumanMessageChunk("h"),
    new AIMessage({ content: [{ type: "text", text: "v1" }], response_metadata: { output_version: "v1" } }),
  ];

  it.each(full.map((message): [string, BaseMessage] => [message.constructor.name, message]))(
    "%s comes back whole, as an instance of its class",
    (_, message) => {
      const back = roundTrip(message) as BaseMessage;
      expect(back).toEqual(message);
      expect(back.constructor).toBe(message.constructor);
      expect(back.toDict()).toEqual(message.toDict());
    },
  );

  it("keeps raw tool calls without parsing or complaining", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const raw = {
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    } as const;
    const message = new AIMessage({
      content: "",
      additional_kwargs: raw as never,
      tool_calls: [{ id: "c", name: "f", args: {} }],
    });
    message.tool_calls = [];
    const back = roundTrip(message) as AIMessage;
    expect(back.additional_kwargs).toEqual(raw);
    expect(back.tool_calls).toEqual([]);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it("keeps fields that a program added", () => {
    const message = Object.assign(new HumanMessage("hi"), { timestamp: new Date(7) });
    expect(roundTrip(message)).toMatchObject({ content: "hi", timestamp: new Date(7) });
  });

  it("keeps a message of a derived class as a message of its role", () => {
    class Mine extends HumanMessage {}
    const back = roundTrip(new Mine("hi")) as HumanMessage;
    expect(back).toBeInstanceOf(HumanMessage);
    expect(back.constructor).toBe(HumanMessage);
  });

  it("does not make a message of JSON that looks like one", () => {
    const forged = { type: "remove", id: "__remove_all__", content: "" };
    expect(roundTrip(forged)).toEqual(forged);
    expect(RemoveMessage.isInstance(roundTrip(forged))).toBe(false);
  });
});
