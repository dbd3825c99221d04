import { InMemoryCache } from "@langchain/langgraph-checkpoint";
import { scenario } from "../scenario.ts";
import { adding, asking, streams } from "./func-kit.ts";
import { late, thread } from "./kit.ts";

export const stops = [
  scenario(
    "an interrupt in an entrypoint: seen, resumed, tasks before it are not run again",
    async (lg, t) => {
      const saver = t.saver();
      let runs = 0;
      const work = lg.task("work", async () => {
        runs += 1;
        return runs;
      });
      const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (text: string) => {
        const worked = await work();
        const answer = lg.interrupt<unknown, string>({ question: "go on?", worked });
        return { text, worked, answer };
      });
      await streams(t, workflow, "in", thread("1"));
      await t.state(workflow, thread("1"));
      await t.saved(saver, "1");
      await streams(t, workflow, new lg.Command({ resume: "yes" }), thread("1"));
      t.note("runs", runs);
      await t.saved(saver, "1");
    },
  ),

  scenario("an interrupt in a task: both the task and its caller wait", async (lg, t) => {
    const { workflow, saver, runs } = asking(lg, t);
    await t.invoke(workflow, "first", thread("1"));
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
    await t.invoke(workflow, new lg.Command({ resume: "yes" }), thread("1"));
    t.note("runs", runs);
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a task's interrupt answered by its id", async (lg, t) => {
    const { workflow, saver } = asking(lg, t);
    const { __interrupt__: waits } = (await t.invoke(workflow, "first", thread("1"))) as {
      __interrupt__: { id: string }[];
    };
    const id = String(waits[0]?.id);
    await t.invoke(workflow, new lg.Command({ resume: { [id]: "by id" } }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("updates and values of an interrupted and a resumed task", async (lg, t) => {
    const { workflow } = asking(lg, t);
    await streams(t, workflow, "first", thread("1"));
    await streams(t, workflow, new lg.Command({ resume: "yes" }), thread("1"));
  }),

  scenario("several questions in one entrypoint, one after the other", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (names: string[]) => {
      const answers: string[] = [];
      for (const name of names) answers.push(lg.interrupt<string, string>(name));
      return answers;
    });
    await t.invoke(workflow, ["a", "b"], thread("1"));
    await t.invoke(workflow, new lg.Command({ resume: "1" }), thread("1"));
    await t.saved(saver, "1");
    await t.invoke(workflow, new lg.Command({ resume: "2" }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("several questions in several calls of one task", async (lg, t) => {
    const saver = t.saver();
    const ask = lg.task("ask", async (question: string) => lg.interrupt<string, string>(question));
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (names: string[]) => {
      const answers: string[] = [];
      for (const name of names) answers.push(await ask(name));
      return answers;
    });
    await t.invoke(workflow, ["a", "b"], thread("1"));
    await t.state(workflow, thread("1"));
    const second = await workflow.getState(thread("1"));
    await t.invoke(workflow, new lg.Command({ resume: { [idOf(second)]: "1" } }), thread("1"));
    await t.saved(saver, "1");
    const third = await workflow.getState(thread("1"));
    await t.invoke(workflow, new lg.Command({ resume: { [idOf(third)]: "2" } }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an interrupted thread that gets a new input starts over", async (lg, t) => {
    const { workflow, saver } = asking(lg, t);
    await t.invoke(workflow, "first", thread("1"));
    await t.invoke(workflow, "second", thread("1"));
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("breakpoints before and after an entrypoint", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (n: number) => ({
      n: n + 1,
    }));
    await t.invoke(workflow, 1, { ...thread("1"), interruptBefore: ["workflow"] });
    await t.state(workflow, thread("1"));
    await t.invoke(workflow, null, thread("1"));
    await t.invoke(workflow, 1, { ...thread("2"), interruptAfter: "*" });
    await t.state(workflow, thread("2"));
    await t.saved(saver, "2");
  }),

  scenario("going back to the checkpoint before a run and running it again", async (lg, t) => {
    const { workflow, saver } = adding(lg, t);
    await t.invoke(workflow, 1, thread("1"));
    const [, before] = await t.history(workflow, thread("1"));
    await t.invoke(workflow, null, before?.config);
    await t.saved(saver, "1");
  }),
];

function idOf(state: unknown): string {
  const { tasks } = state as { tasks: readonly { interrupts: readonly { id?: string }[] }[] };
  return String(tasks[0]?.interrupts[0]?.id);
}

const generator = function* () {
  yield 1;
};

export const failing = [
  scenario("a task that fails fails its caller and the run", async (lg, t) => {
    const bad = lg.task("bad", async () => {
      throw new Error("user: bad");
    });
    const workflow = lg.entrypoint("workflow", async () => {
      await bad();
      return "never";
    });
    await t.fails(() => workflow.invoke("go"));
    await t.streamFails(workflow, "go", { streamMode: ["updates", "values"] });
  }),

  scenario("an entrypoint that fails; finished tasks are not run again when it is retried", async (lg, t) => {
    const saver = t.saver();
    let runs = 0;
    let fails = true;
    const work = lg.task("work", async () => ++runs);
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async () => {
      const worked = await work();
      if (fails) throw new TypeError("user: not yet");
      return worked;
    });
    await t.fails(() => workflow.invoke("go", thread("1")));
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
    fails = false;
    await t.invoke(workflow, null, thread("1"));
    t.note("runs", runs);
    await t.saved(saver, "1");
  }),

  scenario("a task's retry policy", async (lg, t) => {
    const saver = t.saver();
    let attempts = 0;
    const flaky = lg.task(
      { name: "flaky", retry: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false } },
      async () => {
        attempts += 1;
        if (attempts < 3) throw new Error("user: flaky");
        return attempts;
      },
    );
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async () => flaky());
    await t.invoke(workflow, "go", thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("cached results of a task are used by later calls with equal arguments", async (lg, t) => {
    const cache = new InMemoryCache();
    const saver = t.saver();
    let runs = 0;
    const work = lg.task({ name: "work", cachePolicy: { ttl: 60 } }, async (n: number) => {
      runs += 1;
      return n * 2;
    });
    const workflow = lg.entrypoint(
      { name: "workflow", checkpointer: saver, cache },
      async (numbers: number[]) => {
        const doubled: number[] = [];
        for (const n of numbers) doubled.push(await work(n));
        return doubled;
      },
    );
    await streams(t, workflow, [1, 2, 1], thread("1"));
    await streams(t, workflow, [2, 3], thread("2"));
    t.note("runs", runs);
    await t.saved(saver, "2");
  }),

  scenario("a task's timeout, and an entrypoint's", async (lg, t) => {
    const slow = lg.task({ name: "slow", timeout: 10 }, async () => late(500));
    const waits = lg.entrypoint("waits", async () => slow());
    const limited = lg.entrypoint({ name: "limited", timeout: { runTimeout: 10 } }, async () => late(500));
    await t.fails(() => waits.invoke("go"));
    await t.fails(() => limited.invoke("go"));
  }),

  scenario("wrong calls: no input, no thread, generators, an outside call", async (lg, t) => {
    const { workflow } = adding(lg, t);
    await t.fails(() => workflow.invoke(undefined as never, thread("1")));
    await t.fails(() => workflow.invoke(1));
    await t.fails(() => lg.task("generator", generator as never));
    await t.fails(() => lg.entrypoint("generator", generator as never));
  }),
];
