import { StateGraph, StateSchema } from "@skein/graph";
import { expect, it } from "vitest";
import { createAgent, dualTrackMessages } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

it("an agent that is given as a node, and not its graph, is refused: it did nothing, without a word", () => {
  const agent = createAgent({ model: new ScriptedModel("hello") });
  const builder = new StateGraph(new StateSchema({ ...dualTrackMessages() }));
  expect(() => builder.addNode("agent", agent as never)).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIGURATION", message: expect.stringContaining("its graph") }),
  );
});
