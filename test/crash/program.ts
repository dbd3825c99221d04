import { HumanMessage, AIMessage, type BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  END,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  type BaseCheckpointSaver,
  type Durability,
  type StateSnapshot,
} from "@skein/graph";

/** Parallel tasks of a turn. */
const WIDTH = 4;

const concat = (left: string[], right: string[]): string[] => left.concat(right);
const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  turn: Annotation<number>(),
  log: Annotation<string[]>({ reducer: concat, default: () => [] }),
  /** One for every task of the thread: applied twice, it would be too great. */
  count: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
});

type Update = Partial<typeof State.State>;

/** Told what a program does, before the program goes on. */
export interface Watch {
  /** A task starts that sees this count: the steps that made it are on disk. */
  started(task: string, count: number): void;
}

const text = (name: string): string => `${name} `.repeat(40);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A program with all that a crash could hurt: parallel tasks that finish in another order than
 * theirs, a join, a subgraph, reducers, long values, a message that is replaced.
 */
export function crashProgram(checkpointer: BaseCheckpointSaver, watch: Watch) {
  const done = (state: typeof State.State, name: string): Update => ({
    count: 1,
    log: [`${state.turn}:${name}`],
    messages: [new AIMessage({ id: `${state.turn}-${name}`, content: text(`${state.turn}:${name}`) })],
  });
  const node = (name: string) => (state: typeof State.State) => {
    watch.started(`${state.turn}:${name}`, state.count);
    return done(state, name);
  };
  const inner = new StateGraph(State)
    .addNode("first", node("first"))
    .addNode("second", node("second"))
    .addEdge(START, "first")
    .addEdge("first", "second")
    .compile();
  return new StateGraph(State)
    .addNode("plan", node("plan"))
    .addNode("work", async ({ state, at }: { state: typeof State.State; at: number }) => {
      watch.started(`${state.turn}:work${at}`, state.count);
      await pause((at * 7) % WIDTH);
      return done(state, `work${at}`);
    })
    .addNode("join", node("join"))
    .addNode("inner", inner)
    .addNode("end", (state) => {
      watch.started(`${state.turn}:end`, state.count);
      const replaced = new AIMessage({ id: `${state.turn}-plan`, content: text(`${state.turn}:replaced`) });
      return { ...done(state, "end"), messages: [replaced] };
    })
    .addEdge(START, "plan")
    .addConditionalEdges(
      "plan",
      (state) => Array.from({ length: WIDTH }, (_, at) => new Send("work", { state, at })),
      ["work"],
    )
    .addEdge("work", "join")
    .addEdge("join", "inner")
    .addEdge("inner", "end")
    .addEdge("end", END)
    .compile({ checkpointer });
}

export type CrashGraph = ReturnType<typeof crashProgram>;

const config = (thread: string) => ({ configurable: { thread_id: thread } });

/** The greatest count that is stored: the thread's own, or that of a subgraph that was at work. */
export async function storedCount(graph: CrashGraph, thread: string): Promise<number> {
  const { values, tasks } = await graph.getState(config(thread), { subgraphs: true });
  const all = [values, ...tasks.map(({ state }) => (state as StateSnapshot | undefined)?.values)];
  return Math.max(...all.map((of) => (of as Update | undefined)?.count ?? 0));
}

/** Turns whose last task is stored. */
export async function endedTurns(graph: CrashGraph, thread: string): Promise<number> {
  const { values } = await graph.getState(config(thread));
  const { log = [] } = values as Update;
  return log.filter((task) => task.endsWith(":end")).length;
}

/** How a thread is run on, and who hears what is said of it. */
interface Running {
  /** Default: "sync". */
  readonly durability?: Durability;
  finished?(task: string): void;
  /** The call that began this turn has returned. */
  ended?(turn: number): void;
}

/** Runs the thread on, from wherever it is, until it has so many turns. */
export async function runTo(
  graph: CrashGraph,
  thread: string,
  turns: number,
  { durability = "sync", finished, ended }: Running = {},
): Promise<void> {
  for (;;) {
    const { values, next } = await graph.getState(config(thread));
    const turn: number = values.turn ?? 0;
    if (next.length === 0 && turn === turns) return;
    const fresh = next.length === 0;
    const input = fresh
      ? { turn: turn + 1, messages: [new HumanMessage({ id: `${turn + 1}`, content: text(`${turn + 1}`) })] }
      : null;
    const stream = await graph.stream(input, {
      ...config(thread),
      streamMode: "updates",
      durability,
    });
    for await (const update of stream as AsyncIterable<Record<string, Update>>) {
      for (const { log = [] } of Object.values(update)) for (const task of log) finished?.(task);
    }
    if (fresh) ended?.(turn + 1);
  }
}

/** All that a user sees of the thread, as plain data. */
export async function visible(graph: CrashGraph, thread: string): Promise<unknown> {
  const { values, next } = await graph.getState(config(thread));
  const messages = (values.messages as BaseMessage[]).map(({ id, content }) => [id, content]);
  return { ...values, messages, next };
}
