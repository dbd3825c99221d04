import { listed, settled, V3 } from "./event-streams-kit.ts";
import { thread } from "./kit.ts";
import { bodiesOf, remotely } from "./remote-kit.ts";

/** Of what the original shows, what does not depend on which of its two connections is faster. */
export const remoteEvents = [
  remotely("v3: states and output", async ({ remote }, t) => {
    const run = await remote("chain").streamEvents({ last: "in" }, { ...thread("1"), ...V3 });
    t.note("all", await Promise.all([listed(run.values), settled(run.output), settled(run.values)]));
    t.note("interrupted", [run.interrupted, run.interrupts]);
  }),

  remotely("v3: what it waits for, and the answer", async ({ remote, lg }, t) => {
    const graph = remote("asker");
    for (const input of [{}, new lg.Command({ resume: "one" }), new lg.Command({ resume: "two" })]) {
      const run = await graph.streamEvents(input, { ...thread("1"), ...V3 });
      t.note("output", await settled(run.output));
      t.note("interrupted", [run.interrupted, run.interrupts]);
    }
  }),

  remotely("v3: what is asked of the server", async (site, t) => {
    const options = { ...thread("1"), ...V3, tags: ["t"], metadata: { color: "red" } };
    await (
      await site.remote("told").streamEvents({}, options)
    ).output;
    const asked = site.server.asked.filter(({ path }) => path.endsWith("/commands"));
    t.note("asked", [asked.map(({ path, body }) => [path, body["method"], body["params"]]), bodiesOf(site)]);
  }),

  remotely("v3: options of a run from within, and other versions, are refused", async ({ remote }, t) => {
    const graph = remote("chain");
    for (const option of [
      { transformers: [] },
      { control: {} },
      { interruptBefore: ["b"] },
      { interruptAfter: "*" },
    ]) {
      await t.fails(async () => graph.streamEvents({}, { ...thread("1"), ...V3, ...option } as never));
    }
    await t.fails(async () => graph.streamEvents({}, { ...thread("1"), version: "v2" } as never));
  }),

  remotely("v3: a graph that is not there", async ({ remote }, t) => {
    await t.fails(() => remote("nobody").streamEvents({}, { ...thread("1"), ...V3 }));
  }),
];
