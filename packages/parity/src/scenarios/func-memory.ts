import { scenario } from "../scenario.ts";
import { adding, streams } from "./func-kit.ts";
import { thread } from "./kit.ts";

export const memory = [
  scenario("getPreviousState is what the last run returned", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (text: string) =>
      [lg.getPreviousState<string | undefined>() ?? "-", text].join(" "),
    );
    await t.invoke(workflow, "a", thread("1"));
    await t.invoke(workflow, "b", thread("1"));
    await t.invoke(workflow, "c", thread("2"));
    await t.saved(saver, "1");
  }),

  scenario("without a checkpointer there is no previous state", async (lg, t) => {
    const workflow = lg.entrypoint("workflow", async (text: string) => [
      lg.getPreviousState() === undefined,
      text,
    ]);
    await t.invoke(workflow, "a");
    await t.invoke(workflow, "b");
  }),

  scenario("entrypoint.final returns one value and saves another", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (n: number) =>
      lg.entrypoint.final({ value: lg.getPreviousState<number | undefined>() ?? 0, save: n * 2 }),
    );
    await streams(t, workflow, 3, thread("1"));
    await t.invoke(workflow, 1, thread("1"));
    await t.state(workflow, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("entrypoint.final with one part only", async (lg, t) => {
    const saver = t.saver();
    const onlyValue = lg.entrypoint({ name: "value", checkpointer: saver }, async () =>
      lg.entrypoint.final({ value: [lg.getPreviousState() ?? null] }),
    );
    const onlySave = lg.entrypoint({ name: "save", checkpointer: saver }, async () =>
      lg.entrypoint.final({ save: [lg.getPreviousState() ?? null] }),
    );
    for (const [name, workflow] of [
      ["value", onlyValue],
      ["save", onlySave],
    ] as const) {
      await t.invoke(workflow, 1, thread(name));
      await t.invoke(workflow, 2, thread(name));
      await t.saved(saver, name);
    }
  }),

  scenario("a task sees the previous state, too", async (lg, t) => {
    const saver = t.saver();
    const look = lg.task("look", async () => lg.getPreviousState<number | undefined>() ?? "none");
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (n: number) =>
      lg.entrypoint.final({ value: await look(), save: n }),
    );
    await t.invoke(workflow, 1, thread("1"));
    await t.invoke(workflow, 2, thread("1"));
  }),

  scenario("inputs and outputs of every plain type", async (lg, t) => {
    const saver = t.saver();
    const echo = lg.entrypoint({ name: "echo", checkpointer: saver }, async (input: unknown) => input);
    for (const [index, input] of [0, false, "", "text", [1, 2], { a: null }].entries()) {
      await t.invoke(echo, input, thread(`${index}`));
      await t.state(echo, thread(`${index}`));
    }
  }),

  scenario("an entrypoint that returns null or nothing", async (lg, t) => {
    const saver = t.saver();
    const nothing = lg.entrypoint({ name: "nothing", checkpointer: saver }, async () => undefined);
    const empty = lg.entrypoint({ name: "empty", checkpointer: saver }, async () => null);
    await t.stream(nothing, 1, { ...thread("1"), streamMode: ["updates", "values"] });
    await t.state(nothing, thread("1"));
    await t.stream(empty, 1, { ...thread("2"), streamMode: ["updates", "values"] });
    await t.state(empty, thread("2"));
    await t.saved(saver, "2");
  }),

  scenario("updateState of an entrypoint sets what it returned, and its next run sees it", async (lg, t) => {
    const saver = t.saver();
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (text: string) => [
      lg.getPreviousState() ?? null,
      text,
    ]);
    await t.invoke(workflow, "a", thread("1"));
    await workflow.updateState(thread("1"), "set by hand");
    await t.state(workflow, thread("1"));
    await t.invoke(workflow, "b", thread("1"));
    await workflow.updateState(thread("1"), "again", "workflow");
    await t.saved(saver, "1");
  }),

  scenario("the state of a thread that has not begun", async (lg, t) => {
    const { workflow } = adding(lg, t);
    const { next, tasks } = await workflow.getState(thread("unknown"));
    t.note("unknown", { next, tasks });
    await t.history(workflow, thread("unknown"));
  }),
];

export const context = [
  scenario("store, context and configurable reach entrypoint and tasks", async (lg, t) => {
    const store = new lg.InMemoryStore();
    const remember = lg.task("remember", async (key: string) => {
      const config = lg.getConfig();
      await lg.getStore()?.put(["notes"], key, { by: config?.configurable?.["user"] });
      return config?.configurable?.["user"];
    });
    const workflow = lg.entrypoint({ name: "workflow", store }, async (key: string, config) => {
      const user = await remember(key);
      return { user, context: config.context, note: (await config.store?.get(["notes"], key))?.value };
    });
    await t.invoke(workflow, "k", { configurable: { user: "ada" }, context: { language: "en" } });
  }),

  scenario("the metadata and execution info that a task finds", async (lg, t) => {
    const saver = t.saver();
    const look = lg.task("look", async () => {
      const { metadata, executionInfo, configurable } = lg.getConfig() ?? {};
      const { nodeFirstAttemptTime: _time, ...info } = (executionInfo ?? {}) as unknown as Record<
        string,
        unknown
      >;
      return { metadata, info, namespace: configurable?.["checkpoint_ns"], input: lg.getCurrentTaskInput() };
    });
    const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async () => look());
    await t.invoke(workflow, "go", thread("1"));
  }),

  scenario("withConfig gives an entrypoint defaults", async (lg, t) => {
    const workflow = lg
      .entrypoint("workflow", async (_input: string, config) => [config.tags, config.configurable?.["user"]])
      .withConfig({ tags: ["x"], configurable: { user: "ada" } });
    await t.invoke(workflow, "go");
  }),
];
