import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { finishReason, isCutOff } from "../src/index.ts";

describe("why a reply ended (E6)", () => {
  it.each([
    [{ finish_reason: "length" }, "length", true],
    [{ finishReason: "SAFETY" }, "safety", true],
    [{ stop_reason: "max_tokens" }, "max_tokens", true],
    [{ done_reason: "stop" }, "stop", false],
    [{ incomplete_details: { reason: "max_output_tokens" } }, "max_output_tokens", true],
    [{ finish_reason: null, incomplete_details: null }, undefined, false],
    [{}, undefined, false],
  ])("%j", (response_metadata, reason, cutOff) => {
    const reply = new AIMessage({ content: "x", response_metadata });
    expect(finishReason(reply)).toBe(reason);
    expect(isCutOff(reply)).toBe(cutOff);
  });

  it("some providers say it in the message's kwargs", () => {
    expect(isCutOff(new AIMessage({ content: "x", additional_kwargs: { stop_reason: "refusal" } }))).toBe(
      true,
    );
  });
});
