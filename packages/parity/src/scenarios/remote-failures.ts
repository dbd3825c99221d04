import { thread } from "./kit.ts";
import { remotely } from "./remote-kit.ts";

const statusOf = (error: unknown): unknown => (error as { status?: number }).status;

export const remoteFailures = [
  remotely("a run that fails there is a RemoteException with what the server said", async ({ remote }, t) => {
    const error = await t.fails(() => remote("failing").invoke({}, thread("1")));
    t.note("said", JSON.parse((error as Error).message));
    await t.streamFails(remote("failing"), {}, { ...thread("2"), streamMode: ["updates", "values"] });
  }),

  remotely("the limit of steps counts there", async ({ remote }, t) => {
    const error = await t.fails(() => remote("chain").invoke({}, { ...thread("1"), recursionLimit: 1 }));
    t.note("said", JSON.parse((error as Error).message).error);
  }),

  remotely("an unknown graph, and refusals with and without a body", async ({ remote, server }, t) => {
    t.note("status", statusOf(await t.fails(() => remote("nobody").invoke({}, thread("1")))));
    for (const [status, body] of [
      [401, '{"detail":"no"}'],
      [409, "busy"],
      [422, ""],
      [500, "<html>"],
    ] as const) {
      server.faults.refuse = { path: "/", status, body };
      t.note("status", statusOf(await t.fails(() => remote("chain").invoke({}, thread("1")))));
      t.note("status", statusOf(await t.fails(() => remote("chain").getState(thread("1")))));
    }
  }),

  remotely("methods about threads and drawings are refused, too", async ({ remote, server }, t) => {
    const graph = remote("chain");
    server.faults.refuse = { path: "/", status: 403, body: "{}" };
    await t.fails(() => graph.updateState(thread("1"), { last: "x" }));
    await t.fails(() => graph.getStateHistory(thread("1")).next());
    await t.fails(() => graph.getGraphAsync());
    await t.fails(() => graph.getSubgraphsAsync().next());
  }),

  remotely("a run that was aborted before it began, or while it runs", async ({ remote }, t) => {
    const before = AbortSignal.abort();
    await t.fails(() => remote("slow").invoke({}, { ...thread("1"), signal: before }));
    const during = new AbortController();
    await t.fails(async () => {
      const options = { ...thread("2"), signal: during.signal, streamMode: "updates" as const };
      for await (const chunk of await remote("slow").stream({}, options)) {
        t.note("chunk", chunk);
        during.abort();
      }
    });
  }),

  remotely("a run that takes longer than its call may", async ({ remote, server }, t) => {
    server.faults.silence = 200;
    await t.fails(() => remote("chain").invoke({}, { ...thread("1"), timeout: 30 }));
  }),

  remotely("a reader that leaves", async ({ remote }, t) => {
    for await (const chunk of await remote("slow").stream({}, thread("1"))) {
      t.note("chunk", chunk);
      break;
    }
  }),
];
