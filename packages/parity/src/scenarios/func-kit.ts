import type { LangGraph } from "../engines.ts";
import type { Invocable, Recorder } from "../recorder.ts";

/**
 * Chunks of a run by mode, and of tasks their beginnings apart from their ends: LangGraph may tell
 * the end of a call after its caller has begun the next one.
 */
export async function streams(
  t: Recorder,
  graph: Invocable,
  input: unknown,
  config: object,
  modes: readonly string[] = ["updates", "values", "tasks"],
): Promise<void> {
  const seen: Record<string, unknown[]> = {};
  for await (const element of await graph.stream(input, { ...config, streamMode: [...modes] })) {
    const [mode, chunk] = element as [string, object];
    const part = mode === "tasks" ? ("result" in chunk ? "tasks that ended" : "tasks that began") : mode;
    (seen[part] ??= []).push(chunk);
  }
  t.note("stream", seen);
}

/** A workflow that adds, with tasks. */
export function adding(lg: LangGraph, t: Recorder) {
  const saver = t.saver();
  const add = lg.task("add", async (a: number, b: number) => a + b);
  const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (start: number) => {
    const one = await add(start, 1);
    return { one, two: await add(one, 1) };
  });
  return { workflow, saver };
}

/** A workflow that works, asks in a task and goes on. */
export function asking(lg: LangGraph, t: Recorder) {
  const saver = t.saver();
  const runs: string[] = [];
  const work = lg.task("work", async (what: string) => {
    runs.push(what);
    return `${what} done`;
  });
  const ask = lg.task("ask", async (question: string) => {
    runs.push(question);
    return lg.interrupt<string, string>(question);
  });
  const workflow = lg.entrypoint({ name: "workflow", checkpointer: saver }, async (what: string) => {
    const worked = await work(what);
    return [worked, await ask("go on?"), await work("rest")];
  });
  return { workflow, saver, runs };
}
