import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  MemorySaver,
} from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import { type Difference, scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

/** Keeps the newest state of each session of a user, as JSON, as a page's server might. */
class SessionSaver extends BaseCheckpointSaver {
  readonly #sessions = new Map<string, string>();

  async put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata) {
    this.#sessions.set(keyOf(config), JSON.stringify({ checkpoint, metadata }));
    return { configurable: { ...config.configurable, checkpoint_id: checkpoint.id } };
  }
  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const stored = this.#sessions.get(keyOf(config));
    return stored === undefined ? undefined : { config, ...JSON.parse(stored) };
  }
  async *list(config: RunnableConfig): AsyncGenerator<CheckpointTuple> {
    const tuple = await this.getTuple(config);
    if (tuple !== undefined) yield tuple;
  }
  async putWrites(): Promise<void> {}
  async deleteThread(): Promise<void> {}
}

const keyOf = ({ configurable }: RunnableConfig): string =>
  JSON.stringify([configurable?.["user"], configurable?.["session"]]);

/** A saver with these methods only. */
function only(saver: MemorySaver, methods: readonly (keyof MemorySaver)[]): MemorySaver {
  const bound = methods.map((name) => [name, (saver[name] as () => unknown).bind(saver)] as const);
  return Object.fromEntries(bound) as unknown as MemorySaver;
}

function stored(lg: LangGraph, checkpointer: BaseCheckpointSaver) {
  return new lg.StateGraph(trailState(lg))
    .addNode("a", leaves("a"))
    .addNode("b", leaves("b"))
    .addEdge(lg.START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer });
}

const session = (name: string) => thread(name, { user: "me", session: name });

/** Savers that people write for themselves. */
export const ownSavers = [
  scenario("a saver without list() and deleteThread() runs a graph, and tells its state", async (lg, t) => {
    const graph = stored(lg, only(t.saver(), ["getTuple", "put", "putWrites", "getNextVersion"]));
    await t.invoke(graph, {}, thread("1"));
    await t.invoke(graph, {}, thread("1"));
    await graph.updateState(thread("1"), { last: "edited" });
    t.note("values", (await graph.getState(thread("1"))).values);
  }),

  scenario(
    "a saver that finds states by keys of its own is given them beside the thread's id",
    async (lg, t) => {
      const graph = stored(lg, new SessionSaver());
      await t.invoke(graph, {}, session("1"));
      await t.invoke(graph, {}, session("1"));
      await t.invoke(graph, {}, session("2"));
      t.note("values", (await graph.getState(session("1"))).values);
    },
  ),
];

export const ownSaverDifferences: readonly Difference[] = [
  {
    id: "wrong-calls-are-errors",
    name: "a saver that finds states by keys of its own, and no thread_id",
    there: { trail: ["a", "b", "a", "b"], total: 4 },
    here: "refused: MISSING_THREAD_ID",
    async run(lg) {
      const graph = stored(lg, new SessionSaver());
      const config = { configurable: { user: "me", session: "1" } };
      await graph.invoke({}, config);
      return graph.invoke({}, config);
    },
  },
];
