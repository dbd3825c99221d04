import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import {
  Annotation,
  Command,
  getSchemaDefaultGetter,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
} from "../src/index.ts";

const State = Annotation.Root({ said: Annotation<string>() });
const parsed = (text: string): string => JSON.parse(text) as string;

/** Schemas whose own code throws; an unhandled rejection of theirs would fail the whole run of tests. */
const THROWING = {
  "zod 4": z.string().refine((text) => parsed(text) !== ""),
  "zod 3": z3.string().refine((text) => parsed(text) !== ""),
  "neither zod": {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: (text: unknown) => ({ value: parsed(text as string) && text }),
    },
  },
};
const WAITING = {
  "zod 4": z.string().refine(async () => true),
  "zod 3": z3.string().refine(async () => true),
};

const within = (schema: unknown) =>
  new StateGraph(State, { context: schema } as never)
    .addNode("n", (_state, runtime) => ({ said: String(runtime.context) }))
    .addEdge(START, "n")
    .compile();

const asking = (schema: unknown) =>
  new StateGraph(State)
    .addNode("n", () => ({ said: interrupt("what?", { responseSchema: schema as never }) as string }))
    .addEdge(START, "n")
    .compile({ checkpointer: new MemorySaver() });

const thread = { configurable: { thread_id: "1" } };

async function answer(schema: unknown, resume: string): Promise<unknown> {
  const graph = asking(schema);
  await graph.invoke({}, thread);
  return graph.invoke(new Command({ resume }), thread);
}

describe.each(Object.entries(THROWING))("a schema that throws: %s", (_, schema) => {
  it("refuses the context of one call", async () => {
    const graph = within(schema);
    const refused = { code: "INVALID_INPUT", message: expect.stringContaining("JSON") as string };
    await expect(graph.invoke({}, { context: "not json" } as never)).rejects.toMatchObject(refused);
    expect(await graph.invoke({}, { context: '"yes"' } as never)).toEqual({ said: '"yes"' });
  });

  it("refuses an answer", async () => {
    await expect(answer(schema, "not json")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await answer(schema, '"yes"')).toEqual({ said: '"yes"' });
  });
});

it.each(Object.entries(WAITING))(
  "a schema that waits is no schema for what is needed at once: %s",
  async (_, schema) => {
    const refused = { code: "INVALID_CONFIGURATION" };
    await expect(within(schema).invoke({}, { context: "x" } as never)).rejects.toMatchObject(refused);
    await expect(answer(schema, "x")).rejects.toMatchObject(refused);
  },
);

it("a state whose schema throws of nothing has no default", async () => {
  const schema = z.object({ said: z.any().transform((value: { text: string }) => value.text) });
  expect(getSchemaDefaultGetter(schema as never)).toBeUndefined();
  // what is refused later, by nobody that waits for it, would end the process
  await new Promise((resolve) => setTimeout(resolve, 5));
});

it("to send to an error handler is to send to no node", async () => {
  const graph = new StateGraph(State)
    .addNode("a", () => ({ said: "a" }), { errorHandler: () => ({ said: "handled" }) })
    .addEdge(START, "a")
    .compile();
  const sent = new Command({ goto: "__error_handler__a" }) as never;
  await expect(graph.invoke(sent)).rejects.toMatchObject({ code: "UNKNOWN_NODE" });
});
