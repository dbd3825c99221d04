import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { createAgent, createMiddleware } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const strict = z.strictObject({ tone: z.string().default("kind") });
const strict3 = z3.object({ tone: z3.string().default("kind") }).strict();

describe("the context of a run is for the agent and all its middleware", () => {
  it.each([
    ["zod 4", strict],
    ["zod 3", strict3 as unknown as typeof strict],
  ])(
    "a strict schema passes over keys of others, and checks its own: %s",
    async (_version, contextSchema) => {
      const seen: unknown[] = [];
      const middleware = createMiddleware({
        name: "strict",
        contextSchema,
        beforeModel: (_state, { context }) => void seen.push(context),
        wrapModelCall: (request, handler) => {
          seen.push(request.runtime.context);
          return handler(request);
        },
      });
      const agent = createAgent({
        model: new ScriptedModel("one", "two", "three"),
        middleware: [middleware],
      });
      await agent.invoke({ messages: "go" }, { context: { tone: "dry", user: "ada" } as never });
      await agent.invoke({ messages: "go" }, { context: { user: "ada" } as never });
      const [dry, kind] = [{ tone: "dry" }, { tone: "kind" }];
      expect(seen).toEqual([dry, dry, kind, kind]);
      await expect(
        agent.invoke({ messages: "go" }, { context: { tone: 1, user: "ada" } as never }),
      ).rejects.toThrow('not what middleware "strict" expects');
    },
  );
});

const user = z.object({ user: z.string() });
const user3 = z3.object({ user: z3.string() });
const toned = z.object({ tone: z.string().default("kind") });

/** A context that is for others is none for a schema that need not be given. */
describe("a context with keys of other middleware only", () => {
  it.each([
    ["optional", user.optional(), undefined],
    ["optional, zod 3", user3.optional(), undefined],
    ["optional or null", user.nullish(), undefined],
    ["with a default", user.default({ user: "ada" }), { user: "ada" }],
    ["with one that it reads", toned.strict().prefault({}), { tone: "kind" }],
  ])("%s", async (_what, contextSchema, wrap) => {
    const seen: unknown[] = [];
    const middleware = createMiddleware({
      name: "spared",
      contextSchema: contextSchema as unknown as z.ZodObject,
      beforeModel: () => {},
      wrapModelCall: (request, handler) => {
        seen.push(request.runtime.context);
        return handler(request);
      },
    });
    const agent = createAgent({ model: new ScriptedModel("one", "two"), middleware: [middleware] });
    await agent.invoke({ messages: "go" }, { context: { tenant: "acme" } as never });
    expect(seen).toEqual([wrap]);
    // its own keys are checked all the same
    const wrong = { user: 1, tone: 1, tenant: "acme" } as never;
    await expect(agent.invoke({ messages: "go" }, { context: wrong })).rejects.toThrow('"spared" expects');
  });
});

/** What a run without a context gives to a hook and to a wrap; a hook reads keys of it in any case. */
describe("a context that need not be given", () => {
  it.each([
    ["optional", user.optional(), {}, undefined],
    ["optional, zod 3", user3.optional(), {}, undefined],
    ["optional or null", user.nullish(), {}, undefined],
    ["optional, its keys have defaults", toned.optional(), { tone: "kind" }, { tone: "kind" }],
    ["with a default", user.default({ user: "ada" }), { user: "ada" }, { user: "ada" }],
    ["with a default, zod 3", user3.default({ user: "ada" }), { user: "ada" }, { user: "ada" }],
    ["with one that it reads", toned.prefault({}), { tone: "kind" }, { tone: "kind" }],
  ])("%s", async (_what, contextSchema, hook, wrap) => {
    const seen: unknown[] = [];
    const middleware = createMiddleware({
      name: "spared",
      contextSchema: contextSchema as unknown as z.ZodObject,
      beforeModel: (_state, { context }) => void seen.push(context),
      wrapModelCall: (request, handler) => {
        seen.push(request.runtime.context);
        return handler(request);
      },
    });
    const agent = createAgent({ model: new ScriptedModel("one", "two", "three"), middleware: [middleware] });
    await agent.invoke({ messages: "go" });
    await agent.invoke({ messages: "go" }, { context: undefined as never });
    expect(seen).toEqual([hook, wrap, hook, wrap]);
    const given = { user: "eva", tone: "dry" };
    await agent.invoke({ messages: "go" }, { context: given });
    expect(given).toMatchObject(seen[4] as object);
    expect(seen[4]).toEqual(seen[5]);
  });
});
