import { MemorySaver as ForeignSaver } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  Command,
  entrypoint,
  interrupt,
  type Interrupt,
  isInterrupted,
  MemorySaver,
  task,
} from "../src/index.ts";

const thread = { configurable: { thread_id: "1" } };
const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const interruptsIn = (output: unknown): Interrupt[] => (isInterrupted(output) ? output.__interrupt__ : []);

const bad = task("bad", async (ms: number) => {
  await later(ms);
  throw new Error("bad");
});
const ask = task("ask", async (question: string) => interrupt<string, string>(question));
const askLate = task("askLate", async (question: string) => {
  await later(3);
  return interrupt<string, string>(question);
});

describe("failures of called tasks", () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  beforeEach(() => void process.on("unhandledRejection", note));
  afterEach(() => {
    process.off("unhandledRejection", note);
    unhandled.length = 0;
  });

  it.each([0, 10])(
    "one that nobody awaits fails its caller and not the process (after %i ms)",
    async (ms) => {
      const workflow = entrypoint("workflow", async () => {
        void bad(ms);
        await later(4);
        return "returned";
      });
      await expect(workflow.invoke("go")).rejects.toThrow("bad");
      await later(5);
    },
  );

  it("one that is caught leaves the run whole; the task runs again when the thread is resumed", async () => {
    let runs = 0;
    const flaky = task("flaky", async () => {
      runs += 1;
      throw new Error(`run ${runs}`);
    });
    const workflow = entrypoint({ name: "workflow", checkpointer: new MemorySaver() }, async () => [
      await flaky().catch((error: unknown) => (error as Error).message),
      interrupt<string, string>("go on?"),
    ]);
    await workflow.invoke("go", thread);
    expect(await workflow.invoke(new Command({ resume: "yes" }), thread)).toEqual(["run 2", "yes"]);
  });
});

describe("calls that cannot work", () => {
  it("a task outside of a run", () => {
    expect(() => bad(0)).toThrow(expect.objectContaining({ code: "OUTSIDE_RUN" }));
  });

  it("a task called when its caller's step is over", async () => {
    let escaped: Promise<unknown> | undefined;
    const add = task("add", async (n: number) => n + 1);
    const workflow = entrypoint("workflow", async () => {
      escaped = later(5).then(() => add(1));
      escaped.catch(() => undefined);
      return 1;
    });
    await workflow.invoke("go");
    await expect(escaped).rejects.toThrow(expect.objectContaining({ code: "OUTSIDE_RUN" }));
  });

  it.each(["", "a|b", "a:b", "__start__"])("the name %j", (name) => {
    expect(() => task(name, async () => 1)).toThrow(expect.objectContaining({ code: "RESERVED_NAME" }));
    expect(() => entrypoint(name, async () => 1)).toThrow(expect.objectContaining({ code: "RESERVED_NAME" }));
  });
});

describe("questions of tasks that run at once", () => {
  it("are all shown, and each gets its own answer", async () => {
    const workflow = entrypoint({ name: "workflow", checkpointer: new MemorySaver() }, async () =>
      Promise.all([ask("a?"), ask("b?"), askLate("c?")]),
    );
    const waits = interruptsIn(await workflow.invoke("go", thread));
    expect(waits.map(({ value }) => value)).toEqual(["a?", "b?", "c?"]);
    const resume = Object.fromEntries(
      waits.map(({ id, value }) => [String(id), `answer to ${String(value)}`]),
    );
    expect(await workflow.invoke(new Command({ resume }), thread)).toEqual([
      "answer to a?",
      "answer to b?",
      "answer to c?",
    ]);
  });

  it("a caller that catches the signal waits all the same (I8)", async () => {
    const workflow = entrypoint({ name: "workflow", checkpointer: new MemorySaver() }, async () =>
      ask("a?").catch(() => "swallowed"),
    );
    expect(interruptsIn(await workflow.invoke("go", thread))).toHaveLength(1);
    expect(await workflow.invoke(new Command({ resume: "heard" }), thread)).toBe("heard");
  });
});

describe("results are recorded when they are known (I6)", () => {
  it("in durability sync before the caller goes on, on our saver and on another", async () => {
    for (const checkpointer of [new MemorySaver(), new ForeignSaver()]) {
      const add = task("add", async (n: number) => n + 1);
      const workflow = entrypoint({ name: "workflow", checkpointer }, async (n: number) => {
        await add(n);
        const tuple = await checkpointer.getTuple(thread);
        return tuple?.pendingWrites?.map(([, channel, value]) => [channel, value]);
      });
      expect(await workflow.invoke(1, { ...thread, durability: "sync" })).toEqual([["__return__", 2]]);
    }
  });

  it("an entrypoint of another process gets them and does only what is left", async () => {
    const checkpointer = new MemorySaver();
    const ran: number[] = [];
    const make = (crash: boolean) => {
      const work = task("work", async (n: number) => {
        ran.push(n);
        return n * n;
      });
      return entrypoint({ name: "workflow", checkpointer }, async (count: number) => {
        const squares: number[] = [];
        for (let n = 0; n < count; n += 1) {
          if (crash && n === 150) throw new Error("crash");
          squares.push(await work(n));
        }
        return squares.reduce((sum, square) => sum + square, 0);
      });
    };
    await expect(make(true).invoke(300, thread)).rejects.toThrow("crash");
    expect(await make(false).invoke(null, thread)).toBe((299 * 300 * 599) / 6);
    expect(ran).toEqual(Array.from({ length: 300 }, (_, n) => n));
  });

  it("durability exit keeps the results of an interrupted run", async () => {
    let runs = 0;
    const work = task("work", async () => ++runs);
    const workflow = entrypoint({ name: "workflow", checkpointer: new MemorySaver() }, async () => [
      await work(),
      interrupt<string, string>("go on?"),
    ]);
    await workflow.invoke("go", { ...thread, durability: "exit" });
    expect(await workflow.invoke(new Command({ resume: "yes" }), thread)).toEqual([1, "yes"]);
  });
});

it("an abort ends a run that waits for a task", async () => {
  const stop = new AbortController();
  const forever = task("forever", () => new Promise<never>(() => undefined));
  const workflow = entrypoint("workflow", async () => forever());
  setTimeout(() => stop.abort(), 5);
  await expect(workflow.invoke("go", { signal: stop.signal })).rejects.toThrow(
    expect.objectContaining({ name: "AbortError" }),
  );
});
