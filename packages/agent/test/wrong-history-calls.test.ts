import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver as PlainSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { createAgent } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "1" } };
const saying = (code: string) => expect.objectContaining({ name: "GraphError", code });

describe.each([
  ["our saver", () => new MemorySaver()],
  ["a saver of whole states", () => new PlainSaver()],
])("calls about a history that can't be meant, on %s", (_, saver) => {
  const made = () => createAgent({ model: new ScriptedModel("ok"), tools: [], checkpointer: saver() });

  it.each([1.5, -1, Number.NaN, null, "2"])("history: limit or before of %s", async (count) => {
    const agent = made();
    await agent.importMessages(thread, ["a", "b"]);
    for (const key of ["limit", "before"]) {
      const page = agent.history(thread, { [key]: count } as never);
      await expect(page).rejects.toEqual(saying("INVALID_CONFIGURATION"));
    }
    expect((await agent.history(thread, { limit: Number.POSITIVE_INFINITY })).messages).toHaveLength(2);
    expect((await agent.history(thread, { limit: 1 })).messages.map(({ text }) => text)).toEqual(["b"]);
    // the page after a page of nothing would be that page again, for ever
    await expect(agent.history(thread, { limit: 0 })).rejects.toEqual(saying("INVALID_CONFIGURATION"));
    expect((await agent.history(thread, { before: 0 })).messages).toEqual([]);
  });

  it("importMessages and reviseHistory name what is missing", async () => {
    const agent = made() as unknown as Record<"importMessages" | "reviseHistory" | "history", Function>;
    await agent.importMessages(thread, [new HumanMessage({ id: "u1", content: "a" })]);
    for (const messages of ["hello", undefined, null, {}])
      await expect(agent.importMessages(thread, messages)).rejects.toEqual(saying("INVALID_MESSAGE"));
    for (const revision of [undefined, null, "x", {}, { replace: "x", remove: "u1" }, { remove: [7] }])
      await expect(agent.reviseHistory(thread, revision)).rejects.toEqual(saying("INVALID_MESSAGE"));
    expect((await agent.history(thread)).messages).toHaveLength(1);
  });
});
