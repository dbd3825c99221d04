import { goTo, lineage, MemorySaver } from "@skein/checkpointer";
import { expect, it } from "vitest";
import { Annotation, Command, interrupt, START, StateGraph } from "../src/index.ts";

it("a question that was answered stays answered where one goes back to it, and is asked again by a call that names it", async () => {
  const saver = new MemorySaver();
  const graph = new StateGraph(Annotation.Root({ sent: Annotation<string>() }))
    .addNode("ask", () => ({ sent: interrupt<string, string>("Send it?") }))
    .addEdge(START, "ask")
    .compile({ checkpointer: saver });
  const thread = { thread_id: "t" };
  const config = { configurable: thread };
  await graph.invoke({}, config);
  const [asking] = await lineage(saver, "t");
  await graph.invoke(new Command({ resume: "yes" }), config);
  await goTo(saver, "t", asking?.id ?? "");
  expect(await graph.invoke(new Command({ resume: "no" }), config)).toEqual({ sent: "yes" });
  const again = await graph.invoke(null, { configurable: { ...thread, checkpoint_id: asking?.id } });
  expect(again).toMatchObject({ __interrupt__: [{ value: "Send it?" }] });
  expect(await graph.invoke(new Command({ resume: "no" }), config)).toEqual({ sent: "no" });
});
