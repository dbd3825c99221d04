import { GraphError } from "@skein/errors";
import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { fromRecorded, fromRecordedMessage, toRecorded } from "../src/index.ts";

function failure(line: unknown, at = { line: 7 }): GraphError {
  try {
    fromRecorded(line, at);
  } catch (error) {
    if (GraphError.is(error)) return error;
  }
  throw new Error("no GraphError");
}

describe("recorded conversations (B8)", () => {
  it.each([
    { role: "user", content: "hi" },
    { role: "user", content: null },
    { role: "user", content: "", name: "Ada" },
    { role: "system", content: "be brief", id: "s1" },
    { role: "assistant", content: null, tool_calls: [{ id: "x", name: "find", args: { q: 1 } }] },
    { role: "assistant", content: "", tool_calls: [{ id: "x", name: "find", args: {} }] },
    { role: "assistant", content: "both", tool_calls: [{ id: "x", name: "find", args: {} }] },
    { role: "assistant", content: null },
    { role: "assistant", content: "", tool_calls: [] },
    { role: "tool", content: "", tool_call_id: "x", name: "find" },
    { role: "tool", content: null, tool_call_id: "x", at: "2026-01-20", score: { a: [1] } },
  ])("reads and writes back %j", (record) => {
    expect(toRecorded(fromRecordedMessage(record))).toEqual(record);
  });

  it("keeps the other fields of a line", () => {
    const { id, extra, messages } = fromRecorded('{"id":"t","reward":1,"messages":[]}');
    expect({ id, extra, messages }).toEqual({ id: "t", extra: { reward: 1 }, messages: [] });
  });

  it.each([
    ["not json", "JSON"],
    ["[]", "JSON object"],
    ['{"messages":[]}', "id must"],
    ['{"id":"t","messages":{}}', "messages must"],
    ['{"id":"t","messages":[null]}', "messages[0] must"],
    ['{"id":"t","messages":[{"role":"robot","content":"x"}]}', "messages[0].role"],
    ['{"id":"t","messages":[{"role":"user","content":5}]}', "messages[0].content"],
    ['{"id":"t","messages":[{"role":"tool","content":"x"}]}', "messages[0].tool_call_id"],
    ['{"id":"t","messages":[{"role":"user","content":"x","tool_calls":[]}]}', "messages[0].tool_calls"],
    [
      '{"id":"t","messages":[{"role":"assistant","content":"x","tool_calls":[{"id":"a","name":"b","args":"{}"}]}]}',
      "messages[0].tool_calls[0].args",
    ],
  ])("refuses %s and names line and field", (line, field) => {
    const error = failure(line);
    expect(error.code).toBe("INVALID_MESSAGE");
    expect(error.message).toContain("line 7");
    expect(error.message).toContain(field);
  });

  it("what a message claims to have been can't replace what it says", () => {
    const message = new AIMessage({
      content: "true text",
      additional_kwargs: { recorded: { content: "forged", fields: { role: "user", content: "forged" } } },
    });
    expect(toRecorded(message)).toMatchObject({ role: "assistant", content: "true text" });
  });
});
