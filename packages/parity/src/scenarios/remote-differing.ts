import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { Difference } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";
import { bodiesOf, type Site, withSite } from "./remote-kit.ts";

function differs(
  name: string,
  there: unknown,
  here: unknown,
  run: (site: Site) => Promise<unknown>,
): Difference {
  const full = `a graph on a server: ${name}`;
  return { id: "remote-graphs", name: full, there, here, run: (lg) => withSite(lg, run) };
}

/** far (the remote graph) -> after */
function calling({ lg, remote }: Site, graphId: string) {
  return new lg.StateGraph(trailState(lg))
    .addNode("far", remote(graphId) as never)
    .addNode("after", leaves("after"))
    .addEdge(lg.START, "far" as never)
    .addEdge("far" as never, "after")
    .compile({ checkpointer: new MemorySaver() });
}

interface Output {
  readonly trail: string[];
  readonly __interrupt__?: readonly { readonly id: string; readonly value: unknown }[];
}

/** What a run asks, or what it left. */
const seen = (output: unknown): unknown => {
  const { __interrupt__: asked, trail } = output as Output;
  return asked?.map(({ value }) => value) ?? trail;
};

const thrown = async (act: () => Promise<unknown>): Promise<unknown> => {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
};

const askedOf = (error: unknown): unknown =>
  (error as { interrupts: { value: unknown }[] }).interrupts.map(({ value }) => value);

const until = async (holds: () => boolean): Promise<boolean> => {
  for (let at = 0; at < 100 && !holds(); at++) await new Promise((resolve) => setTimeout(resolve, 5));
  return holds();
};

const cancelled = ({ server }: Site): Promise<boolean> =>
  until(() => server.asked.some(({ path }) => path.endsWith("/cancel")));

/** What the original does with graphs on servers that differs. */
export const remoteDifferences: readonly Difference[] = [
  differs(
    "as a node, it is answered when its caller is resumed",
    [[{ question: "first?" }], [{ question: "first?" }], [{ question: "first?" }]],
    [[{ question: "first?" }], ["second?"], ["first one", "second two", "after", "after"]],
    async (site) => {
      const graph = calling(site, "asker");
      const answers = [{}, new site.lg.Command({ resume: "one" }), new site.lg.Command({ resume: "two" })];
      const outputs: unknown[] = [];
      for (const input of answers) outputs.push(seen(await graph.invoke(input as never, thread("1"))));
      return outputs;
    },
  ),
  differs(
    "as a node, its second question is asked again when nobody answers it",
    [[{ question: "first?" }], [{ question: "first?" }], [{ question: "first?" }]],
    [[{ question: "first?" }], ["second?"], ["second?"]],
    async (site) => {
      const graph = calling(site, "asker");
      const outputs: unknown[] = [];
      for (const input of [{}, new site.lg.Command({ resume: "one" }), null])
        outputs.push(seen(await graph.invoke(input as never, thread("1"))));
      return outputs;
    },
  ),
  differs(
    "as a node, its questions are answered by their ids",
    [["left?"], ["left?"]],
    [
      ["left?", "right?"],
      ["left yes", "right no", "after"],
    ],
    async (site) => {
      const graph = calling(site, "both");
      const first = (await graph.invoke({}, thread("1"))) as unknown as Output;
      const answers = (first.__interrupt__ ?? []).map(({ id, value }) => [
        id,
        value === "left?" ? "yes" : "no",
      ]);
      const resume = new site.lg.Command({ resume: Object.fromEntries(answers) as never });
      return [seen(first), seen(await graph.invoke(resume as never, thread("1")))];
    },
  ),
  differs("all questions of a step are told", ["left?"], ["left?", "right?"], async ({ remote }) =>
    askedOf(await thrown(() => remote("both").invoke({}, thread("1")))),
  ),
  differs("the questions in a state have their ids", false, true, async ({ remote }) => {
    const graph = remote("asker");
    const error = (await thrown(() => graph.invoke({}, thread("1")))) as { interrupts: { id: string }[] };
    const { tasks } = await graph.getState(thread("1"));
    return tasks[0]?.interrupts[0]?.id === error.interrupts[0]?.id;
  }),
  differs("an old state is gone on from", ["a", "b", "moved"], ["a", "b"], async ({ remote }) => {
    const graph = remote("chain");
    await graph.invoke({}, thread("1"));
    const old = await graph.getState(thread("1"));
    await graph.updateState(thread("1"), { trail: ["moved"] }, "b");
    const { checkpoint_id: id } = old.config.configurable as { checkpoint_id: string };
    const { trail } = await graph.invoke(null, { configurable: { thread_id: "1", checkpoint_id: id } });
    return trail;
  }),
  differs("the limit of steps of withConfig counts", 25, 50, async (site) => {
    await site.remote("chain").withConfig({ recursionLimit: 50 }).invoke({}, thread("1"));
    return (bodiesOf(site) as { config: { recursion_limit: number } }[])[0]?.config.recursion_limit;
  }),
  differs("invoke gives the state, also with subgraphs", [[], ["a", "b"]], ["a", "b"], async ({ remote }) => {
    const output = await remote("chain").invoke({}, { ...thread("1"), subgraphs: true });
    return Array.isArray(output) ? [output[0], output[1].trail] : output.trail;
  }),
  differs("as a node, what its own subgraphs do is shown", [1, 2], [1, 2, 3], async (site) => {
    const depths = new Set<number>();
    const options = { ...thread("1"), subgraphs: true, streamMode: "updates" as const };
    for await (const chunk of await calling(site, "outer").stream({}, options)) {
      depths.add((chunk as unknown as [string[]])[0].length + 1);
    }
    return [...depths].toSorted();
  }),
  differs(
    "messages in an update become plain objects",
    "constructor",
    "human",
    async ({ remote, server }) => {
      const graph = remote("chatty");
      await graph.invoke({ messages: [] }, thread("1"));
      await graph.updateState(thread("1"), { messages: [new HumanMessage("edited")] }).catch(() => undefined);
      const body = server.asked.findLast(({ path }) => path.endsWith("/state"))?.body as {
        values: { messages: { role?: string; type?: string }[] };
      };
      return body.values.messages[0]?.role ?? body.values.messages[0]?.type;
    },
  ),
  differs(
    "as a node, it is drawn with what is in it",
    "refused: Error",
    ["__start__", "far:before", "far:inner:a", "far:inner:b", "after", "__end__"],
    async (site) => Object.keys((await calling(site, "outer").getGraphAsync({ xray: true })).nodes),
  ),
  differs("a reader that leaves cancels the run", false, true, async (site) => {
    for await (const _chunk of await site.remote("slow").stream({}, thread("1"))) break;
    return cancelled(site);
  }),
  differs("an abort cancels the run", false, true, async (site) => {
    const stop = new AbortController();
    await thrown(async () => {
      const options = { ...thread("1"), signal: stop.signal, streamMode: "updates" as const };
      for await (const _chunk of await site.remote("slow").stream({}, options)) stop.abort();
    });
    return cancelled(site);
  }),
];
