import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAgent, createMiddleware, SessionManager } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";
import { watched } from "./watched-tools.ts";

const broken = (): never => {
  throw new Error("broken");
};

/** Hooks that are told of a failure and fail in turn, at once or later. */
const REPORTERS: [string, () => void][] = [
  ["throws", () => broken()],
  ["rejects", (async () => broken()) as () => void],
];

let warned: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(() => warned.mockRestore());

/** An unhandled rejection would be told by now, and fail the run of the tests. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe.each(REPORTERS)("who is told of a failure and %s breaks nothing", (_, report) => {
  it("onFailure of a middleware that fails open", async () => {
    const open = createMiddleware({
      name: "open",
      failure: "open",
      onFailure: report,
      beforeModel: broken,
      wrapModelCall: broken,
      wrapToolCall: broken,
    });
    const { make } = watched();
    const agent = createAgent({
      model: new ScriptedModel(calls(["p", { n: 1 }]), "done"),
      tools: [make("p")],
      middleware: [open],
    });
    expect((await agent.invoke({ messages: "go" })).messages.map(({ text }) => text)).toEqual([
      "go",
      "",
      "p1",
      "done",
    ]);
    await settled();
    expect(warned).toHaveBeenCalledWith(
      'onFailure of middleware "open" failed:',
      expect.objectContaining({ message: "broken" }),
    );
  });

  it("onFailure of a SessionManager: sessions begin, end and are swept", async () => {
    const clock = { now: Date.now() };
    const saver = new MemorySaver();
    const sessions = new SessionManager({
      store: new InMemoryStore(),
      saver,
      idleMs: 10,
      now: () => clock.now,
      bootstrap: broken,
      offload: ({ session }) => (session.id === "b" ? broken() : undefined),
      onFailure: report,
    });
    const agent = createAgent({ model: new ScriptedModel("1", "2", "3"), checkpointer: saver });
    for (const id of ["a", "b", "c"])
      await agent.invoke({ messages: "hi" }, (await sessions.create({ userId: "u", id })).thread);
    expect((await sessions.end("b")).state).toBe("ending");
    clock.now += 1e6;
    const { delivered, pending } = await sessions.sweep();
    expect([delivered.toSorted(), pending]).toEqual([["a", "c"], ["b"]]);
    await settled();
    expect(warned).toHaveBeenCalled();
  });

  it("onError of a sweeper: it sweeps on", async () => {
    const sessions = new SessionManager({ store: new InMemoryStore(), saver: new MemorySaver() });
    const sweep = vi.spyOn(sessions, "sweep").mockRejectedValue(new Error("gone"));
    const stop = sessions.startSweeper({ everyMs: 1, onError: report });
    await vi.waitFor(() => expect(sweep.mock.calls.length).toBeGreaterThan(2));
    stop();
    await settled();
    expect(warned).toHaveBeenCalledWith("onError of startSweeper failed:", expect.anything());
  });
});

it.each([5, "log", {}, null])("an onFailure that is no function is refused: %j", (onFailure) => {
  const wrong = expect.objectContaining({ code: "INVALID_MIDDLEWARE" }) as Error;
  expect(() => createMiddleware({ name: "w", onFailure: onFailure as never })).toThrow(wrong);
  const foreign = { name: "w", onFailure } as never;
  expect(() => createAgent({ model: new ScriptedModel(), middleware: [foreign] })).toThrow(wrong);
});
