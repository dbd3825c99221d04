import { once } from "node:events";
import { HumanMessage } from "@langchain/core/messages";
import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Annotation, END, GraphError, MessagesAnnotation, START, StateGraph } from "@skein/graph";

/**
 * One of many processes on a thread: `counting-worker.ts PATH|URL#SCHEMA NAME TURNS fail|wait`. Says `ready`,
 * begins when it is told to, makes the tables, and adds one to the count as often as told. A turn that is
 * refused is tried again. At its end it says how often its node ran and how often it was refused.
 */
const [target, name, turns, policy] = process.argv.slice(2) as [string, string, string, string];
const [url, schema] = target.split("#") as [string, string | undefined];
const saver =
  schema === undefined ? SqliteSaver.fromConnString(target) : PostgresSaver.fromConnString(url, { schema });

let ran = 0;
const State = Annotation.Root({ ...MessagesAnnotation.spec, count: Annotation<number>() });
const graph = new StateGraph(State)
  // reads and writes, with time in between: two runs at once would lose an update
  .addNode("add", async ({ count = 0, messages }) => {
    ran += 1;
    await new Promise((resolve) => setTimeout(resolve, 2));
    return { count: count + 1, messages: [new HumanMessage(`${messages.length}`)] };
  })
  .addEdge(START, "add")
  .addEdge("add", END)
  .compile({ checkpointer: saver });

process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdin.destroy();
await saver.setup();
let refused = 0;
const config = { configurable: { thread_id: "t" }, durability: "sync" as const };
const onConflict = policy === "wait" ? { waitMs: 120_000 } : ("fail" as const);
for (let turn = 0; turn < Number(turns);) {
  const input = { messages: [new HumanMessage({ id: `${name}-${turn}`, content: name })] };
  try {
    await graph.invoke(input, { ...config, onConflict });
    turn += 1;
  } catch (error) {
    if (!GraphError.is(error, "THREAD_CONFLICT")) throw error;
    refused += 1;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
  }
}
await saver.close();
process.stdout.write(`${JSON.stringify({ ran, refused })}\n`);
