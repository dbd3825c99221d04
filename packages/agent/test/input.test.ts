import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { expect, it } from "vitest";
import { createAgent } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const WRONG: readonly [string, unknown, RegExp][] = [
  ["a text", "hello", /such as \{ messages: "Hello" \}, not "hello"/],
  ["a number", 0, /not 0/],
  ["a list of messages", [new HumanMessage("lost?")], /not a list/],
  ["a message", new HumanMessage("one"), /not a message/],
  ["a misspelt key", { message: "typo" }, /no "message"; pass what is said as "messages"/],
];

it.each(WRONG)(
  "%s for input is refused before the model is asked, and stored nowhere",
  async (_, input, said) => {
    const model = new ScriptedModel("hi");
    const agent = createAgent({ model, checkpointer: new MemorySaver() });
    const refused = { code: "INVALID_INPUT", message: expect.stringMatching(said) };
    await expect(agent.invoke(input as never, thread)).rejects.toMatchObject(refused);
    await expect(agent.stream(input as never, thread)).rejects.toMatchObject(refused);
    expect(() => agent.streamEvents(input as never, { version: "v2", ...thread })).toThrow(
      expect.objectContaining(refused),
    );
    expect(model.sent).toEqual([]);
    expect((await agent.getState(thread)).values).toEqual({});
  },
);

it.each([
  [{ sytemPrompt: "x" }, /no option "sytemPrompt".*"systemPrompt"/],
  [{ version: "v3" }, /version must be "v1" or "v2"/],
  [{ systemPrompt: 5 }, /systemPrompt must be a text/],
  [{ systemPrompt: {} }, /systemPrompt must be a text/],
  [{ systemPrompt: { role: "system", content: "Be brief." } }, /systemPrompt must be a text/],
  [{ systemPrompt: new HumanMessage("Be brief.") }, /systemPrompt must be a text/],
  [{ now: 5 }, /now of createAgent must be a function/],
  [{ name: 5 }, /name of createAgent must be a text/],
] as const)("createAgent refuses %j", (options, said) => {
  const make = (): unknown => createAgent({ model: new ScriptedModel("hi"), ...(options as object) });
  expect(make).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIGURATION", message: expect.stringMatching(said) }),
  );
});
