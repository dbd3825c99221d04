import { InMemoryCache } from "@langchain/core/caches";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { registerConfigureHook, setContextVariable } from "@langchain/core/context";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { RunnableBinding, RunnableLambda } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { tool } from "@langchain/core/tools";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware } from "../src/index.ts";
import { isHeardAround } from "../src/unheard/listening.ts";
import { overrides } from "../src/unheard/overrides.ts";
import { byInvoke, result, silent, Telling } from "./unheard-calls.ts";

const ask = { messages: "go" };

interface Case {
  readonly inner: Telling;
  readonly model?: unknown;
  readonly tools?: never;
}
const of = (fields?: ConstructorParameters<typeof Telling>[0]): Case => ({ inner: new Telling(fields) });

/** A binding made by hand, which `withConfig` would flatten. */
const binding = (bound: unknown, config: object, kwargs: object = {}): unknown =>
  new RunnableBinding({ bound, config, kwargs } as never);

/** All that can be seen of two turns. */
async function turns({ inner, model = inner, tools }: Case): Promise<unknown> {
  const agent = createAgent({ model: model as never, ...(tools === undefined ? {} : { tools }) });
  const seen: unknown[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const ended = await agent.invoke(ask).catch((error: unknown) => error);
    if (ended instanceof Error) seen.push(ended.constructor.name, ended.message);
    else {
      const { content, response_metadata, id, tool_calls } = (ended as { messages: AIMessage[] }).messages.at(
        -1,
      ) as AIMessage;
      seen.push({ content, response_metadata, isFromRun: id?.startsWith("run-"), tool_calls });
    }
  }
  return { seen, given: inner.given, combined: inner.combined };
}

const search = tool(() => "found", { name: "search", description: "Finds.", schema: z.object({}) });
const same = new AIMessage({ content: "same", id: "kept" });

const within = (wrap: (inner: Telling) => unknown): Case => {
  const inner = new Telling();
  return { inner, model: wrap(inner) };
};
const bound = (config: object, kwargs?: object): Case => within((inner) => binding(inner, config, kwargs));

/** Whose calls nobody hears. */
const direct: Record<string, () => Case> = {
  "that is given alone": () => of(),
  "that tools are bound to": () => ({ inner: new Telling(), tools: [search] as never }),
  "that options are bound to": () =>
    bound(
      { stop: ["x"], tags: ["t"], metadata: { m: 1 }, runName: "n", configurable: { c: 1 }, seed: 1, k: 1 },
      { seed: undefined, k: 2, temperature: null, promptIndex: 7, signal: undefined, timeout: undefined },
    ),
  "whose provider tells of its reply": () =>
    of({
      answer: () => {
        const made = result("said", { response_metadata: { a: "message" } });
        Object.assign(made.generations[0] as object, { generationInfo: { a: "info", b: "info" } });
        return { ...made, llmOutput: { a: "all", b: "all", c: "all" } };
      },
    }),
  "that answers several times": () =>
    of({
      answer: () => ({
        generations: ["one", "two"].flatMap((content) => result(content).generations),
        llmOutput: { c: "all" },
      }),
    }),
  "that returns the same message again": () =>
    of({
      answer: () => ({
        generations: [{ text: "", message: same, generationInfo: { n: 1 } }],
        llmOutput: { a: 1 },
      }),
    }),
  "that makes no reply": () => of({ answer: () => ({ generations: [] }) }),
  "that returns nothing": () => of({ answer: () => undefined as never }),
  "that throws at once": () =>
    of({
      answer: () => {
        throw new RangeError("at once");
      },
    }),
  "that fails": () => of({ answer: () => Promise.reject(new TypeError("later")) }),
};

/** `_generate` is called all the same, by LangChain. */
const left: Record<string, () => Case> = {
  "that answers from a cache": () => of({ cache: new InMemoryCache() }),
  "that makes standard content": () =>
    of({ outputVersion: "v1", answer: () => result("text", { response_metadata: { z: 1 } }) }),
  "that is bound to make standard content": () => bound({ outputVersion: "v1" }),
  "that is bound twice": () => within((inner) => binding(binding(inner, { seed: 1 }), { stop: ["out"] })),
  "that a signal is bound to": () => bound({ signal: new AbortController().signal }),
  "that a time is bound to": () => bound({}, { timeout: 60_000 }),
  "that would be asked again": () => within((inner) => inner.withRetry()),
  "that listeners are bound to": () => within((inner) => inner.withListeners({ onStart: () => {} })),
  "that another stands in for": () => {
    const inner = new Telling();
    const failing = new Telling({ answer: () => Promise.reject(new Error("no")) });
    return { inner, model: failing.withFallbacks([inner]) };
  },
};

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  same.response_metadata = {};
});

describe("a model that nobody hears of is asked past invoke(), which shows nowhere (E7)", () => {
  it.each(Object.keys(direct))("one %s", async (name) => {
    const make = direct[name] as () => Case;
    const here = make();
    const shown = await turns(here);
    same.response_metadata = {};
    const there = make();
    byInvoke(there.inner);
    expect(shown).toEqual(await turns(there));
    expect(here.inner.given).toHaveLength(2);
    expect([here.inner.asked, there.inner.asked > 0]).toEqual([0, true]);
  });
});

describe("what a model that nobody hears of is sent (E7)", () => {
  it("is made messages of, where a wrap has put something else in their place", async () => {
    const loosely = createMiddleware({
      name: "loosely",
      wrapModelCall: (request, handler) => {
        const messages = ["one", ["ai", "two"], { role: "user", content: "three" }] as never;
        return handler({ ...request, messages }) as Promise<AIMessage>;
      },
    });
    const sent = [];
    for (const model of [new Telling(), byInvoke(new Telling())]) {
      await createAgent({ model, middleware: [loosely] }).invoke(ask);
      sent.push(...model.given);
    }
    expect(sent[0]).toMatchObject({
      said: [
        ["human", "one"],
        ["ai", "two"],
        ["human", "three"],
      ],
    });
    expect(sent[0]).toEqual(sent[1]);
  });
});

describe("a model whose calls invoke() does more about is left to it (E7)", () => {
  it.each(Object.keys(left))("one %s", async (name) => {
    const here = (left[name] as () => Case)();
    const shown = await turns(here);
    const there = (left[name] as () => Case)();
    byInvoke(there.inner);
    expect(shown).toEqual(await turns(there));
    expect(here.inner.asked).toBeGreaterThan(0);
  });

  it("one that the environment has make standard content", async () => {
    vi.stubEnv("LC_OUTPUT_VERSION", "v1");
    const { inner } = of();
    const { messages } = await createAgent({ model: inner }).invoke(ask);
    expect(inner.asked).toBe(1);
    expect(messages.at(-1)?.content).toEqual([{ type: "text", text: "bye" }]);
  });

  it.each([
    "invoke",
    "generatePrompt",
    "generate",
    "_generateUncached",
    "_separateRunnableConfigFromCallOptionsCompat",
  ] as const)("one with a %s of its own, or of all models", async (method) => {
    const own = new Telling();
    const ofOne = vi.spyOn(own as never, method);
    await createAgent({ model: own }).invoke(ask);
    expect(ofOne).toHaveBeenCalledOnce();
    const inner = new Telling();
    const ofAll = vi.spyOn(BaseChatModel.prototype as never, method);
    await createAgent({ model: inner }).invoke(ask);
    expect(ofAll).toHaveBeenCalledOnce();
    expect(inner.given).toHaveLength(1);
  });

  it("one of another copy of LangChain", async () => {
    const path = import.meta.resolve("@langchain/core/language_models/chat_models");
    const other = (await import(/* @vite-ignore */ `${path}?copy`)) as {
      BaseChatModel: typeof BaseChatModel;
    };
    expect(other.BaseChatModel).not.toBe(BaseChatModel);
    const members = { ...new Telling(), _generate: Telling.prototype._generate };
    const model = Object.assign(Object.create(other.BaseChatModel.prototype) as Telling, members, {
      getLsParams: () => ({ asked: (model.asked += 1) }),
    });
    await createAgent({ model }).invoke(ask);
    expect(model.asked).toBe(1);
  });
});

describe("a model that somebody may hear of is asked by invoke() (E7)", () => {
  it("by callbacks: of the run, of what runs around it, of the model, of what it is bound to", async () => {
    const plain = new Telling();
    await createAgent({ model: plain }).invoke(ask, { callbacks: [silent()] });
    expect(plain.asked).toBe(1);
    const agent = createAgent({ model: plain });
    await RunnableLambda.from(() => agent.invoke(ask)).invoke("", { callbacks: [silent()] });
    expect(plain.asked).toBe(2);
    const own = new Telling({ callbacks: [silent()] });
    await createAgent({ model: own }).invoke(ask);
    const { inner, model } = bound({ callbacks: [silent()] });
    await createAgent({ model: model as never }).invoke(ask);
    expect([own.asked, inner.asked]).toEqual([1, 1]);
  });

  it.each([
    ["LANGCHAIN_VERBOSE", "true"],
    ["LANGCHAIN_TRACING", "1"],
    ["LANGSMITH_TRACING", "true"],
  ])("by what the environment says of it in %s", async (name, value) => {
    vi.stubEnv("LANGSMITH_TRACING_SAMPLING_RATE", "0");
    vi.stubEnv("LANGSMITH_API_KEY", "none");
    vi.spyOn(console, "log").mockReturnValue();
    const { inner } = of();
    await createAgent({ model: inner }).invoke(ask);
    expect(inner.asked).toBe(0);
    vi.stubEnv(name, value);
    await createAgent({ model: inner }).invoke(ask);
    expect(inner.asked).toBe(1);
  });

  it("by whoever replaces what LangChain makes managers with, or a method, also before this is loaded", async () => {
    for (const name of ["configure", "_configureSync"] as const) {
      const { inner } = of();
      const configured = vi.spyOn(CallbackManager, name);
      await createAgent({ model: inner }).invoke(ask);
      expect([inner.asked, configured.mock.calls.length > 0]).toEqual([1, true]);
      configured.mockRestore();
    }
    class Watched {
      async act(): Promise<void> {}
    }
    expect(overrides(Watched.prototype, ["act"])(new Watched())).toBe(false);
    const { act } = Watched.prototype;
    for (const wrapped of [vi.fn<() => Promise<void>>(), Object.assign(() => act(), { __original: act })]) {
      Watched.prototype.act = wrapped;
      expect(overrides(Watched.prototype, ["act"])(new Watched())).toBe(true);
    }
  });

  it("by what is around it, which may limit its time as well", async () => {
    const { inner } = of();
    const callbacks = [silent()];
    for (const [around, options] of [[{}], [{}, { callbacks }], [{ callbacks }], [{ timeout: 60_000 }]]) {
      const wrap = createMiddleware({
        name: "wrap",
        wrapModelCall: (request, handler) =>
          AsyncLocalStorageProviderSingleton.runWithConfig(
            around,
            async () => (await handler(request)) as AIMessage,
          ),
      });
      await createAgent({ model: inner, middleware: [wrap] }).invoke(ask, options ?? {});
    }
    expect(inner.asked).toBe(3);
    const storage = AsyncLocalStorageProviderSingleton.getInstance();
    const heard = [true, undefined, false].map((tracingEnabled) =>
      storage.run({ tracingEnabled } as never, isHeardAround),
    );
    expect(heard).toEqual([true, true, false]);
  });

  it("by a hook that is registered with LangChain, in a wrap only for its call", async () => {
    const { inner } = of();
    const wrap = createMiddleware({
      name: "listening",
      wrapModelCall: async (request, handler) => {
        registerConfigureHook({ contextVar: "silent" });
        setContextVariable("silent", silent());
        return (await handler(request)) as AIMessage;
      },
    });
    await createAgent({ model: inner, middleware: [wrap] }).invoke(ask);
    expect(inner.asked).toBe(1);
    await createAgent({ model: inner }).invoke(ask);
    expect(inner.asked).toBe(1);
  });
});
