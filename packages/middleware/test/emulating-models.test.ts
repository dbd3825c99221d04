import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { Command } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { humanInTheLoopMiddleware } from "../src/human-approval/index.ts";
import { toolEmulatorMiddleware } from "../src/tool-emulator/index.ts";
import { call, onThread, recorded, says } from "./replies.ts";
import { ScriptedModel } from "./scripted-model.ts";

/** Calls a tool, once in a turn, and makes up results in its own name. */
function modelOf(name: string): ScriptedModel {
  return new ScriptedModel((messages) => {
    const last = messages.at(-1);
    if (last?.text.includes("program under test") === true) return new AIMessage(`made up by ${name}`);
    if (last?.type !== "human") return new AIMessage("done");
    return new AIMessage({ content: "", tool_calls: [call("look")] });
  });
}

const made = (messages: readonly BaseMessage[]) => messages[2]?.text;

describe("one tool emulator in several agents", () => {
  it("has each agent's own model answer, also at the same time", async () => {
    const emulator = toolEmulatorMiddleware();
    const agents = ["A", "B"].map((name) =>
      createAgent({ model: modelOf(name), tools: [recorded("look")], middleware: [emulator] }),
    );
    const results = await Promise.all(agents.map((agent) => agent.invoke(says("x"))));
    expect(results.map(({ messages }) => made(messages))).toEqual(["made up by A", "made up by B"]);
  });

  it("also in a run that goes on behind an answer; not with another agent's where it was not called here", async () => {
    const emulator = toolEmulatorMiddleware();
    const saver = new MemorySaver();
    const agentOf = (name: string, emulating = emulator) =>
      createAgent({
        model: modelOf(name),
        tools: [recorded("look")],
        checkpointer: saver,
        middleware: [humanInTheLoopMiddleware({ interruptOn: "all" }), emulating],
      });
    const [a, b] = [agentOf("A"), agentOf("B")];
    const approve = new Command({ resume: { decisions: [{ type: "approve" }] } });
    await a.invoke(says("x"), onThread("a"));
    await b.invoke(says("x"), onThread("b"));
    expect(made((await a.invoke(approve, onThread("a"))).messages)).toBe("made up by A");
    expect(made((await b.invoke(approve, onThread("b"))).messages)).toBe("made up by B");
    await agentOf("C", toolEmulatorMiddleware()).invoke(says("x"), onThread("c"));
    await expect(a.invoke(approve, onThread("c"))).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  });
});
