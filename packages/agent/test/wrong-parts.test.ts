import { tool as toolOfCore } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { InMemoryStore } from "@skein/checkpointer/store";
import { Annotation } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, modelResolver, tool } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const code = (name: string) => expect.objectContaining({ name: "GraphError", code: name }) as Error;
const wrong = code("INVALID_CONFIGURATION");
const make = (options: object) => () =>
  createAgent({ model: new ScriptedModel("ok"), ...(options as Record<never, never>) });
const withMetadata = (metadata: Record<string, unknown>) => [
  toolOfCore(() => "", { name: "p", description: "", schema: z.object({}), metadata }),
];

describe("parts of agents that would be passed over are refused", () => {
  it.each([[null], [{}], [undefined], [5], [{ name: "x" }], [{ name: "", schema: z.object({}) }]])(
    "tool(%j)",
    (fields) => {
      expect(() => tool(fields as never)).toThrow(wrong);
    },
  );

  it.each([[5], [{}], [null], [undefined], [""], [[]]])("modelResolver(%j)", (model) => {
    expect(() => modelResolver(model as never)).toThrow(wrong);
  });

  it.each([[{}], [5], ["store"], [new MemorySaver()], [[]]])("store: %j", (store) => {
    expect(make({ store })).toThrow(wrong);
  });

  it.each([[{}], [5], ["context"], [{ user: 1 }], [() => 1]])("contextSchema: %j", (contextSchema) => {
    expect(make({ contextSchema })).toThrow(wrong);
  });

  it.each([
    ["prompt", "systemPrompt"],
    ["schema", "stateSchema"],
    ["tool", "tools"],
    ["stores", "store"],
  ])("the option %s, for %s is meant", (option, meant) => {
    expect(make({ [option]: "x" })).toThrow(
      `createAgent has no option "${option}"; the nearest one that it has is "${meant}".`,
    );
  });

  it.each([["true"], [1], [null]])("metadata.serial: %j", (serial) => {
    expect(make({ tools: withMetadata({ serial }) })).toThrow(wrong);
  });

  it.each([[1.5], [Number.NaN], ["2"], [0], [-1]])("maxConcurrency of a call: %j", async (maxConcurrency) => {
    const given = { maxConcurrency: maxConcurrency as number };
    const agent = make({})();
    await expect(agent.invoke({ messages: "x" }, given)).rejects.toEqual(wrong);
    await expect(async () => agent.withConfig(given).invoke({ messages: "x" })).rejects.toEqual(wrong);
  });

  it("a misspelt member of a hook", () => {
    const hook = { hook: () => ({ jumpTo: "end" as const }), canJumpto: ["end"] };
    expect(() => createMiddleware({ name: "w", beforeModel: hook as never })).toThrow(
      code("INVALID_MIDDLEWARE"),
    );
  });
});

it("parts that can be used are taken", async () => {
  const schemas = [z.object({ user: z.string().optional() }), Annotation.Root({ user: Annotation<string> })];
  for (const contextSchema of [...schemas, undefined, null]) make({ contextSchema })();
  make({ store: new InMemoryStore() })();
  make({ store: null })();
  for (const serial of [true, false, undefined]) make({ tools: withMetadata({ serial }) })();
  for (const maxConcurrency of [1, 20, Number.POSITIVE_INFINITY, null]) {
    const { messages } = await make({})().invoke({ messages: "x" }, { maxConcurrency } as never);
    expect(messages).toHaveLength(2);
  }
});
