import { Annotation } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { createAgent, createMiddleware } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const counting = createMiddleware({
  name: "counting",
  stateSchema: z.object({ rounds: z.number().default(5), notes: z.array(z.string()).default([]) }),
  beforeModel: ({ rounds, notes }) => ({ rounds: rounds + 1, notes: [...notes, "seen"] }),
});
const reading = (stateSchema: unknown) =>
  createMiddleware({ name: "reading", stateSchema: stateSchema as z.ZodObject });
const zod3 = z3.object({ rounds: z3.number(), notes: z3.array(z3.string()) });
const model = () => new ScriptedModel("one", "two");

describe("a key that several declare begins as the first one says that says it", () => {
  it.each([
    ["optional", z.object({ rounds: z.number().optional(), notes: z.array(z.string()).optional() })],
    ["required", z.object({ rounds: z.number(), notes: z.array(z.string()) })],
    ["zod 3", zod3],
    ["annotated", Annotation.Root({ rounds: Annotation<number>(), notes: Annotation<string[]> })],
  ])("declared before without a default: %s", async (_name, schema) => {
    const expected = { rounds: 6, notes: ["seen"] };
    const agent = createAgent({ model: model(), stateSchema: schema as z.ZodObject, middleware: [counting] });
    for (let run = 0; run < 2; run += 1)
      expect(await agent.invoke({ messages: "go" })).toMatchObject(expected);
    const middleware = [reading(schema), counting];
    expect(await createAgent({ model: model(), middleware }).invoke({ messages: "go" })).toMatchObject(
      expected,
    );
    const given = { messages: "go", rounds: 1 };
    expect(await createAgent({ model: model(), middleware }).invoke(given)).toMatchObject({ rounds: 2 });
  });

  it("the first default counts, and what the first schema checks", async () => {
    const stateSchema = z.object({
      rounds: z.number().max(7).default(7),
      notes: z.array(z.string()).optional(),
    });
    const agent = createAgent({ model: new ScriptedModel("one"), stateSchema, middleware: [counting] });
    await expect(agent.invoke({ messages: "go" })).rejects.toThrow('Validation failed for field "rounds"');
  });
});
