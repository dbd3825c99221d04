import { GraphError } from "@skein/errors";
import { EmptyChannelError } from "@skein/graph";
import {
  BinaryOperatorAggregate,
  DeltaChannel,
  LastValue,
  NamedBarrierValue,
  NamedBarrierValueAfterFinish,
  Topic,
  UntrackedValueChannel,
} from "@skein/graph/channels";
import { ChannelWrite } from "@skein/graph/pregel";
import {
  inferChannel,
  isPrefixMatch,
  isSupportedChannel,
  matchesSubscription,
  normalizeNamespaceSegment,
} from "@skein/graph/stream";
import { describe, expect, it, vi } from "vitest";
import { graphOfOneNode, thread, untyped } from "./support/one-node.ts";

const graph = graphOfOneNode();

const NONE = [5, Number.NaN, {}, [null], Symbol("s"), 10n, true];
const error = (code: string) => expect.objectContaining({ name: "GraphError", code }) as unknown as Error;
const sum = (left: number, right: number): number => left + right;
const event = { method: "values", params: { namespace: [] } };

const CALLS: readonly [string, string, (none: never) => unknown][] = [
  ["LastValue", "INVALID_STATE_SCHEMA", (none) => new LastValue(none)],
  ["BinaryOperatorAggregate", "INVALID_STATE_SCHEMA", (none) => new BinaryOperatorAggregate(sum, none)],
  [
    "UntrackedValueChannel",
    "INVALID_STATE_SCHEMA",
    (none) => new UntrackedValueChannel({ initialValueFactory: none }),
  ],
  ["DeltaChannel", "INVALID_STATE_SCHEMA", (none) => new DeltaChannel(none)],
  ["ChannelWrite", "INVALID_CONFIGURATION", (none) => new ChannelWrite(none)],
  ["a segment of a namespace", "INVALID_INPUT", (none) => normalizeNamespaceSegment(none)],
  ["a subscription", "INVALID_CONFIGURATION", (none) => matchesSubscription(event, none)],
];

describe("what can't be meant has a code (issue 3, bad input)", () => {
  it.each(CALLS)("%s is %s", (_, code, call) => {
    for (const none of NONE) expect(() => call(none as never)).toThrow(error(code));
  });

  it("a join waits for names", () => {
    for (const none of [undefined, null, "ab", ...NONE.filter((one) => !Array.isArray(one))]) {
      const names = none as never;
      expect(() => new NamedBarrierValue(names)).toThrow(error("INVALID_STATE_SCHEMA"));
      expect(() => new NamedBarrierValueAfterFinish(names)).toThrow(error("INVALID_STATE_SCHEMA"));
    }
  });

  it("a frequency that is none is shown, also a symbol", () => {
    for (const snapshotFrequency of [...NONE.filter((none) => none !== 5), "x", 0, -1])
      expect(() => new DeltaChannel((state) => state, untyped({ snapshotFrequency }))).toThrow(
        error("INVALID_CONFIGURATION"),
      );
  });

  it("null for options and first values is none, as in LangGraph", () => {
    const none = null as never;
    const channels = [new LastValue(none), new BinaryOperatorAggregate(sum, none), new Topic(none)];
    for (const channel of [...channels, new UntrackedValueChannel(none)])
      expect(channel.isAvailable()).toBe(false);
    expect(new DeltaChannel((state) => state, none).snapshotFrequency).toBe(1000);
    expect(new EmptyChannelError("x", none)).toMatchObject({ message: "x" });
    expect(new GraphError("INVALID_INPUT", "x", none)).toMatchObject({ details: {} });
  });

  it("guards of events take anything", () => {
    for (const none of [undefined, null, ...NONE]) {
      const given = none as never;
      expect(isSupportedChannel(given)).toBe(false);
      expect(inferChannel(given)).toBeUndefined();
    }
    for (const none of [undefined, null, ...NONE].filter((value) => !Array.isArray(value))) {
      const given = none as never;
      expect([isPrefixMatch(given, []), isPrefixMatch([], given)]).toEqual([false, false]);
    }
    expect(inferChannel({ method: "custom" } as never)).toBe("custom");
  });

  it("a misspelt option of ours that is bound to a graph is warned of once, as LangGraph's are", async () => {
    const console = vi.spyOn(globalThis.console, "warn").mockImplementation(() => {});
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    try {
      for (let i = 0; i < 3; i += 1) graph.withConfig(untyped({ ...thread, onConflicct: "fail" }));
      await vi.waitFor(() => expect(warned).toHaveBeenCalled());
      await new Promise((done) => setTimeout(done, 10));
      expect(warned.mock.calls).toEqual([
        [expect.stringContaining('"onConflict"'), expect.objectContaining({ code: "SKEIN_UNKNOWN_OPTION" })],
      ]);
      expect(console).not.toHaveBeenCalled();
    } finally {
      console.mockRestore();
      warned.mockRestore();
    }
  });
});
