import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createAgent } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

describe('includeAgentName: "inline"', () => {
  it("sends names in the text, and takes the tags off what the model says; the thread has neither", async () => {
    const model = new ScriptedModel("<name>beta</name><content>Hello\nthere</content>");
    const agent = createAgent({ model, name: "beta", includeAgentName: "inline" });
    const { messages } = await agent.invoke({
      messages: [
        new AIMessage({ content: "I was first.", name: "alpha", id: "a" }),
        new AIMessage({ content: [{ type: "text", text: "In blocks." }], name: "alpha" }),
        new AIMessage("Nobody's."),
        new HumanMessage({ content: "Hi", name: "ada" }),
      ],
    });
    expect(model.sent[0]?.map(({ content, name, id }) => [content, name, id === "a"])).toEqual([
      ["<name>alpha</name><content>I was first.</content>", undefined, true],
      [[{ type: "text", text: "<name>alpha</name><content>In blocks.</content>" }], undefined, false],
      ["Nobody's.", undefined, false],
      ["Hi", "ada", false],
    ]);
    expect(messages.map(({ text, name }) => [text, name])).toEqual([
      ["I was first.", "alpha"],
      ["In blocks.", "alpha"],
      ["Nobody's.", undefined],
      ["Hi", "ada"],
      ["Hello\nthere", "beta"],
    ]);
  });

  it("leaves a reply alone that speaks of such tags, and everything without the option", async () => {
    const said = "Write <name>x</name><content>y</content> for a name.";
    const model = new ScriptedModel(said, said);
    const inline = createAgent({ model, name: "beta", includeAgentName: "inline" });
    expect((await inline.invoke({ messages: "How?" })).messages.at(-1)?.text).toBe(said);
    const plain = createAgent({ model, name: "beta" });
    await plain.invoke({ messages: [new AIMessage({ content: "x", name: "alpha" }), new HumanMessage("?")] });
    expect(model.sent[1]?.[0]).toMatchObject({ content: "x", name: "alpha" });
  });

  it("refuses what it does not know", () => {
    const model = new ScriptedModel();
    expect(() => createAgent({ model, includeAgentName: "outline" as "inline" })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
    );
  });
});
