import { ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { DynamicStructuredTool, StructuredTool, ToolInputParsingException } from "@langchain/core/tools";
import { Command } from "@skein/graph";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { createMiddleware, ToolInvocationError } from "../src/index.ts";
import {
  anything,
  byInvoke,
  changing,
  Circle,
  fields,
  type Func,
  made,
  shown,
  silent,
  turn,
  watched,
} from "./unheard-calls.ts";

const echo = (): DynamicStructuredTool => made((input) => input);
const byHand = async (): Promise<string> => "done";

const answers: Record<string, () => unknown> = {
  text: () => "text",
  "an object": () => ({ a: [1] }),
  blocks: () => [{ type: "text", text: "t" }],
  "no blocks": () => [],
  "a list": () => [1, { type: "text" }],
  nothing: () => undefined,
  null: () => null,
  "a number": () => 7,
  "a BigInt": () => 10n,
  "a symbol": () => Symbol("s"),
  "a circle": () => new Circle(),
  "a bare circle": () => {
    const bare = Object.create(null) as Record<string, unknown>;
    bare["self"] = bare;
    return bare;
  },
  "a message": () => new ToolMessage({ content: "own", tool_call_id: "call-1", artifact: 1, name: "other" }),
  "a command": () =>
    new Command({ update: { messages: [new ToolMessage({ content: "told", tool_call_id: "call-1" })] } }),
  "an async generator": async function* steps() {
    yield "progress";
    return "end";
  },
  "a generator": function* steps() {
    yield "progress";
    return { end: 1 };
  },
  "an error": () => Promise.reject(new RangeError("no")),
  "an error at once": () => {
    throw new RangeError("at once");
  },
  "a generator that fails": async function* steps() {
    yield "progress";
    throw new RangeError("late");
  },
};

const text = (value: unknown): string => `${value as string}!`;
const schemas: Record<string, () => unknown> = {
  "Zod 4": () => z.object({ a: z.string().default("d").transform(text), n: z.number().optional() }),
  "Zod 3": () => z3.object({ a: z3.string().default("d").transform(text), n: z3.number().optional() }),
  "Zod 4, asking elsewhere": () =>
    z.object({
      a: z
        .string()
        .refine(async (a) => a !== "bad")
        .transform(async (a) => text(a)),
    }),
  "Zod 3, asking elsewhere": () =>
    z3.object({
      a: z3
        .string()
        .refine(async (a) => a !== "bad")
        .transform(async (a) => text(a)),
    }),
  "one that throws": () =>
    z.object({
      a: z.string().refine(() => {
        throw new TypeError("within");
      }),
    }),
};
const said: Record<string, unknown>[] = [{ a: "good" }, { a: "bad" }, { a: 1, n: "x" }, {}, { b: 1n }];

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe("a tool that nobody hears of is called past invoke(), which shows nowhere (E1)", () => {
  it.each(Object.keys(answers))("one that returns %s", async (name) => {
    const make = () => made(() => answers[name]?.(), { metadata: { policy: 1 } });
    const direct = make();
    const looks = watched(direct);
    expect(await turn(direct)).toEqual(await turn(byInvoke(make())));
    expect(looks.asked).toBe(0);
  });

  it.each(Object.keys(schemas))(
    "one with a schema of %s, and arguments that do and do not fit",
    async (name) => {
      for (const args of said) {
        for (const verboseParsingErrors of [false, true]) {
          const inputs: unknown[] = [];
          const act = (input: unknown): string => {
            inputs.push(input);
            return "done";
          };
          const make = () => made(act, { schema: schemas[name]?.(), verboseParsingErrors });
          const direct = await turn(make(), { args });
          expect(direct).toEqual(await turn(byInvoke(make()), { args }));
          expect(inputs[0]).toEqual(inputs[1]);
        }
      }
    },
  );

  it("arguments that do not fit are an error of LangChain's, and are looked at once", async () => {
    const look = vi.fn<(a: string) => boolean>(() => false);
    const errors: unknown[] = [];
    const wrap = createMiddleware({
      name: "wrap",
      wrapToolCall: async (request, handler) => {
        try {
          return await handler(request);
        } catch (error) {
          errors.push(error);
          throw error;
        }
      },
    });
    const direct = made(() => "", { schema: z.object({ a: z.string().refine(look) }) });
    await turn(direct, { args: { a: "x" }, middleware: [wrap] as never });
    expect(look).toHaveBeenCalledOnce();
    const [error] = errors as [ToolInvocationError];
    expect(error).toBeInstanceOf(ToolInvocationError);
    expect(error.toolError).toBeInstanceOf(ToolInputParsingException);
    expect(error.toolError).toMatchObject({ output: '{"a":"x"}' });
  });

  it("its function is given the same config, and the same is around it", async () => {
    const seen: unknown[] = [];
    const act: Func = (_input, config) => {
      const { config: node } = config;
      const ambient = AsyncLocalStorageProviderSingleton.getRunnableConfig() as unknown as typeof node;
      seen.push([shown(config, node), shown(ambient, config)]);
      return "";
    };
    const options = [
      {},
      {
        tags: ["a", "b", "a"],
        metadata: { m: 1 },
        runName: "named",
        maxConcurrency: 3,
        context: { user: "u" },
      },
      { configurable: { thread_id: "1", model: "big" }, recursionLimit: 50, timeout: 60_000, context: null },
    ];
    const elsewhere = createMiddleware({
      name: "elsewhere",
      wrapToolCall: (request, handler) =>
        AsyncLocalStorageProviderSingleton.runWithConfig({ maxConcurrency: 9, tags: ["around"] }, async () =>
          handler(request),
        ),
    });
    for (const given of options) {
      for (const more of [{}, { metadata: { timeoutMs: 10_000 } }]) {
        for (const middleware of [[], [elsewhere]] as never[]) {
          await turn(made(act, more), { options: given, middleware });
          await turn(byInvoke(made(act, more)), { options: given, middleware });
          const [direct, invoked] = seen.splice(0);
          expect(direct).toEqual(invoked);
        }
      }
    }
  });

  it("what its function changes of its config is not the node's, nor another call's", async () => {
    const options = { tags: ["a"] };
    const [direct] = (await turn(made(changing), { options })) as [{ content: string }];
    expect(direct.content).toContain('["a"]');
    expect(direct.content).not.toContain("own");
  });

  it("a call whose id a wrap has taken away is answered alike", async () => {
    for (const id of [undefined, "", 7]) {
      const wrap = createMiddleware({
        name: "wrap",
        wrapToolCall: (request, handler) =>
          handler({ ...request, toolCall: { ...request.toolCall, id: id as never } }),
      });
      const middleware = [wrap] as never;
      const direct = await turn(
        made(() => [1]),
        { middleware },
      );
      expect(direct).toEqual(await turn(byInvoke(made(() => [1])), { middleware }));
    }
  });

  it("a signal that is aborted ends its call, with what it is aborted for", async () => {
    for (const form of [(of: DynamicStructuredTool) => of, byInvoke]) {
      const stop = new AbortController();
      const slow = made(() => {
        stop.abort(new RangeError("enough"));
        return new Promise(() => {});
      });
      expect(await turn(form(slow), { options: { signal: stop.signal } })).toEqual([RangeError, "enough"]);
      const late = made(() => new Promise(() => {}), { metadata: { timeoutMs: 5 } });
      const [message] = (await turn(form(late))) as [{ content: string }];
      expect(message.content).toContain("did not finish within 5 ms");
    }
  });
});

describe("a tool whose calls invoke() does more about is left to it (E1)", () => {
  class Own extends DynamicStructuredTool {
    protected override _call(...given: never[]): Promise<never> {
      return super._call(...(given as unknown as [never])) as Promise<never>;
    }
  }
  const left: Record<string, () => DynamicStructuredTool> = {
    "callbacks of its own": () => made(() => "done", { callbacks: [silent()] }),
    "what it does printed": () => made(() => "done", { verbose: true }),
    "a default config": () => made(() => "done", { defaultConfig: { tags: ["d"] } }),
    "an artifact": () => made(() => ["done", { a: 1 }], { responseFormat: "content_and_artifact" }),
    "a JSON schema": () =>
      made(() => "done", { schema: { type: "object", properties: { a: { type: "object" } } } }),
    "a schema of text": () => made((input) => `done ${input as string}`, { schema: z.string() }),
    "a method of its own": () => new Own({ ...fields, schema: anything, func: byHand }),
    "a function that tool() has not made": () =>
      new DynamicStructuredTool({ ...fields, schema: anything, func: byHand }),
    "a function that was replaced": () =>
      Object.assign(
        made(() => ""),
        { func: byHand },
      ),
  };

  it.each(Object.keys(left))("one with %s", async (name) => {
    vi.spyOn(console, "log").mockReturnValue();
    const make = left[name] as () => DynamicStructuredTool;
    const direct = make();
    const looks = watched(direct);
    const args = { input: "x" };
    expect(await turn(direct, { args })).toEqual(await turn(byInvoke(make()), { args }));
    expect(looks.asked).toBe(1);
  });

  it("one whose class somebody has changed, and arguments that look like a call", async () => {
    const prototypes: [object, string][] = [
      [StructuredTool.prototype, "invoke"],
      [StructuredTool.prototype, "call"],
      [DynamicStructuredTool.prototype, "call"],
      [DynamicStructuredTool.prototype, "_call"],
    ];
    for (const [prototype, method] of prototypes) {
      const spy = vi.spyOn(prototype as StructuredTool, method as "invoke");
      await turn(made(() => "done"));
      expect(spy).toHaveBeenCalledOnce();
      spy.mockRestore();
    }
    const args = { type: "tool_call", id: "inner", name: "act", args: { a: 1 } };
    const [direct] = (await turn(echo(), { args })) as [{ content: string }];
    expect(direct.content).toBe('{"a":1}');
    expect([direct]).toEqual(await turn(byInvoke(echo()), { args }));
  });

  it("one whose call is heard: by callbacks of the run or around it, or by the environment", async () => {
    const heard = made(() => "done");
    const looks = watched(heard);
    await turn(heard, { options: { callbacks: [silent()] } });
    await RunnableLambda.from(() => turn(heard)).invoke("", { callbacks: [silent()] });
    const callbacks = [silent()];
    for (const [around, options] of [
      [{ callbacks }, {}],
      [{}, { callbacks }],
    ]) {
      const within = createMiddleware({
        name: "within",
        wrapToolCall: (request, handler) =>
          AsyncLocalStorageProviderSingleton.runWithConfig(around, async () => handler(request)),
      });
      await turn(heard, { middleware: [within] as never, options: options as object });
    }
    expect(looks.asked).toBe(4);
    vi.stubEnv("LANGCHAIN_TRACING", "1");
    await turn(heard);
    expect(looks.asked).toBe(5);
  });
});
