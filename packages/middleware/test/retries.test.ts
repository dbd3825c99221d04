import { AsyncResource } from "node:async_hooks";
import { stampRetryable } from "@langchain/core/errors";
import { createAgent, type AnyAgentMiddleware } from "@skein/agent";
import { interrupt } from "@skein/graph";
import { afterEach, describe, expect, it, vi } from "vitest";
import { modelFallbackMiddleware } from "../src/model-fallback/index.ts";
import { modelRetryMiddleware } from "../src/model-retry/index.ts";
import { toolRetryMiddleware, type ToolRetryOptions } from "../src/tool-retry/index.ts";
import { call, inLines, recorded, saying, says, type Replies } from "./replies.ts";
import { retriesWaits } from "./waits.ts";

const atOnce = { initialDelayMs: 0, jitter: false };
const down = new Error("down");

const run = (model: Replies, ...middleware: readonly AnyAgentMiddleware[]) =>
  createAgent({ model, tools: [recorded("look")], middleware }).invoke(says("go"));

afterEach(() => {
  vi.unstubAllGlobals();
});

function setup(failures: number, options: ToolRetryOptions = {}) {
  let left = failures;
  const flaky = recorded("flaky", () => {
    left -= 1;
    if (left >= 0) throw new TypeError("flaky");
    return "worked";
  });
  const model = saying([call("flaky")], "done");
  const agent = createAgent({
    model,
    tools: [flaky],
    middleware: [toolRetryMiddleware({ ...atOnce, ...options })],
  });
  return { flaky, lines: async () => inLines((await agent.invoke(says("go"))).messages).slice(2) };
}

describe("model retry (E4)", () => {
  it("calls again, with the model's own retries off", async () => {
    const model = saying(down, down, "fine");
    const { messages } = await run(model, modelRetryMiddleware(atOnce));
    expect(messages.at(-1)?.text).toBe("fine");
    expect(model.prompts).toHaveLength(3);
    expect(model.settings[0]).toMatchObject({ maxRetries: 0 });
  });

  it("then a message says so, an error is thrown, or a function speaks", async () => {
    const { messages } = await run(saying(down), modelRetryMiddleware(atOnce));
    expect(messages.at(-1)?.text).toBe("The model was called 3 times and failed: down");
    await expect(run(saying(down), modelRetryMiddleware({ ...atOnce, onFailure: "error" }))).rejects.toThrow(
      "down",
    );
    const sorry = modelRetryMiddleware({ ...atOnce, onFailure: (error) => `Sorry: ${error.message}` });
    expect((await run(saying(down), sorry)).messages.at(-1)?.text).toBe("Sorry: down");
  });

  it("not for errors that are not worth it", async () => {
    const wrongKey = stampRetryable(new Error("wrong key"), false);
    const model = saying(wrongKey, "fine");
    await run(model, modelRetryMiddleware(atOnce));
    expect(model.prompts).toHaveLength(1);
    const only = saying(new RangeError("far"), new TypeError("wrong"), "fine");
    await run(only, modelRetryMiddleware({ ...atOnce, retryOn: [RangeError] }));
    expect(only.prompts).toHaveLength(2);
  });

  it("waits grow up to the longest, and a provider's Retry-After is heeded", async () => {
    const waits = retriesWaits();
    const busy = Object.assign(new Error("busy"), { retryAfterMs: 9000 });
    await run(
      saying(down, down, down, busy, "fine"),
      modelRetryMiddleware({ maxRetries: 4, jitter: false, maxDelayMs: 3000 }),
    );
    expect(waits).toEqual([1000, 2000, 3000, 9000]);
  });

  it("attempts without an end, waits without a longest: as long as a timer can wait", async () => {
    const waits = retriesWaits();
    const patient = { maxRetries: Infinity, maxDelayMs: Infinity, initialDelayMs: 1.5e9, jitter: false };
    const { messages } = await run(saying(down, down, "fine"), modelRetryMiddleware(patient));
    expect(messages.at(-1)?.text).toBe("fine");
    expect(waits).toEqual([1.5e9, 2 ** 31 - 1]);
  });

  it("no first wait is none later, however far waits grew, and Retry-After is heeded still", async () => {
    const waits = retriesWaits();
    const busy = Object.assign(new Error("busy"), { retryAfterMs: 9000 });
    const grown = { maxRetries: Infinity, initialDelayMs: 0, backoffFactor: 1e200 };
    await run(saying(down, down, down, busy, "fine"), modelRetryMiddleware(grown));
    expect(waits).toEqual([0, 0, 0, 9000]);
  });

  it("attempts without an end and without waits let others run, who may abort them", async () => {
    const controller = new AbortController();
    const retryOn = () => {
      setImmediate(() => controller.abort(new Error("enough")));
      return true;
    };
    const endless = modelRetryMiddleware({ maxRetries: Infinity, initialDelayMs: 0, retryOn });
    const model = saying(...Array.from({ length: 300 }, () => down), "fine");
    const agent = createAgent({ model, middleware: [endless] });
    await expect(agent.invoke(says("go"), { signal: controller.signal })).rejects.toThrow("enough");
    expect(model.prompts.length).toBeLessThan(300);
  });

  it("an aborted run does not wait for the next attempt", async () => {
    const controller = new AbortController();
    const agent = createAgent({
      model: saying(down),
      middleware: [modelRetryMiddleware({ initialDelayMs: 3_600_000 })],
    });
    const running = agent.invoke(says("go"), { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(running).rejects.toThrow(/abort/iu);
  });

  it("options that can't be are refused", () => {
    for (const wrong of [{ maxRetries: -1 }, { initialDelayMs: Number.NaN }, { backoffFactor: -2 }]) {
      expect(() => modelRetryMiddleware(wrong)).toThrowError(
        expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
      );
    }
  });
});

describe("tool retry (E4)", () => {
  it("not for a question that finds no run: the run ends", async () => {
    // runs where no node is found, as everything does in a page
    const lost = AsyncResource.bind(() => interrupt("Add?"));
    const ask = recorded("ask", () => lost());
    const agent = createAgent({
      model: saying([call("ask")], "done"),
      tools: [ask],
      middleware: [toolRetryMiddleware(atOnce)],
    });
    await expect(agent.invoke(says("go"))).rejects.toMatchObject({ code: "OUTSIDE_RUN" });
    expect(ask.calls).toHaveLength(1);
  });

  it("runs the tool again until it works", async () => {
    const { flaky, lines } = setup(2);
    expect(await lines()).toEqual(["tool: worked", "ai: done"]);
    expect(flaky.calls).toHaveLength(3);
  });

  it("then the model gets an error", async () => {
    expect(await setup(9).lines()).toEqual([
      'tool!: The tool "flaky" was called 3 times and failed: flaky',
      "ai: done",
    ]);
    const error = await setup(9, { onFailure: "error" }).lines();
    expect(error[0]).toContain("flaky");
    const own = await setup(9, { onFailure: ({ message }) => `own ${message}` }).lines();
    expect(own[0]).toBe("tool!: own flaky");
  });

  it("only the tools and errors that were named", async () => {
    const others = setup(1, { tools: ["another"] });
    expect((await others.lines())[0]).toContain("tool!");
    expect(others.flaky.calls).toHaveLength(1);
    const named = setup(1, { tools: [recorded("flaky")], retryOn: [TypeError] });
    expect(await named.lines()).toEqual(["tool: worked", "ai: done"]);
    expect((await setup(1, { retryOn: [RangeError] }).lines())[0]).toContain("called once");
  });
});

describe("model fallback (E4)", () => {
  it("goes down the row, and begins with the agent's model again at every call", async () => {
    const first = saying(down, "first again");
    const second = saying(down);
    const third = saying([call("look")]);
    const { messages } = await run(first, modelFallbackMiddleware(second, third));
    expect(inLines(messages).slice(1)).toEqual(["ai:  look({})", "tool: look done", "ai: first again"]);
    expect([first, second, third].map(({ prompts }) => prompts.length)).toEqual([2, 1, 1]);
    expect(third.offered).toEqual([["look"]]);
  });

  it("the last error is thrown", async () => {
    await expect(run(saying(down), modelFallbackMiddleware(saying(new Error("down too"))))).rejects.toThrow(
      "down too",
    );
  });

  it("needs a model", () => {
    expect(() => modelFallbackMiddleware()).toThrow("needs at least one model");
  });

  it("inside of a retry the row is tried again", async () => {
    const first = saying(down);
    const second = saying(down, "second");
    const { messages } = await run(first, modelRetryMiddleware(atOnce), modelFallbackMiddleware(second));
    expect(messages.at(-1)?.text).toBe("second");
    expect(first.prompts).toHaveLength(2);
  });
});
