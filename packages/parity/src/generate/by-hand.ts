import * as fc from "fast-check";
import type { LangGraph } from "../engines.ts";
import { channelsOf, pregelOf } from "../entries.ts";
import { type Scenario, scenario } from "../scenario.ts";
import { thread } from "../scenarios/kit.ts";

/** A program of channels and nodes as data. Channels go by their index; the first one is the input. */
export interface HandMade {
  readonly channels: readonly ("last" | "topic" | "sum" | "brief")[];
  readonly nodes: readonly HandMadeNode[];
  readonly inputs: readonly number[];
}

interface HandMadeNode {
  readonly wokenBy: readonly number[];
  readonly alsoReads: readonly number[];
  readonly writes: readonly number[];
  /** Above this it writes nothing: what ends a circle, unless the recursion limit does. */
  readonly limit: number;
}

const index = fc.nat({ max: 4 });
const some = (minLength: number) => fc.uniqueArray(index, { minLength, maxLength: 2 });

export const handMade: fc.Arbitrary<HandMade> = fc.record({
  channels: fc.array(fc.constantFrom("last", "topic", "sum", "brief"), { minLength: 5, maxLength: 5 }),
  nodes: fc.array(
    fc.record({
      wokenBy: some(1),
      alsoReads: some(0),
      writes: some(1),
      limit: fc.integer({ min: 5, max: 60 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  inputs: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
});

const nameOf = (channel: number): string => `c${channel}`;

function channelOf(lg: LangGraph, kind: HandMade["channels"][number]) {
  const { LastValue, Topic, BinaryOperatorAggregate, EphemeralValue } = channelsOf(lg);
  if (kind === "last") return new LastValue<number>();
  if (kind === "topic") return new Topic<number>();
  if (kind === "brief") return new EphemeralValue<number>();
  return new BinaryOperatorAggregate<number>(
    (left, right) => left + right,
    () => 0,
  );
}

/** All numbers in what a node gets. */
function total(given: unknown): number {
  if (typeof given === "number") return given;
  return Object.values((given ?? {}) as object).reduce<number>((sum, one) => sum + total(one), 0);
}

/** The program on an engine, turn after turn on one thread: what it streams, ends with and stores. */
export const handMadeScenario = (made: HandMade): Scenario =>
  scenario("a generated program wired by hand", async (lg, t) => {
    const { Channel, Pregel } = pregelOf(lg);
    const nodes = made.nodes.map(({ wokenBy, alsoReads, writes, limit }, n) => {
      const unlessTooMuch = (value: number): number | undefined => (value > limit ? undefined : value);
      const node = Channel.subscribeTo(wokenBy.map(nameOf))
        .join(alsoReads.map(nameOf))
        .pipe((given: unknown) => total(given) + n + 1)
        .pipe(Channel.writeTo([], Object.fromEntries(writes.map((one) => [nameOf(one), unlessTooMuch]))));
      return [`n${n}`, node] as const;
    });
    const saver = t.saver();
    const channels: Record<string, ReturnType<typeof channelOf>> = {
      in: channelOf(lg, "brief"),
      ...Object.fromEntries(made.channels.map((kind, n) => [nameOf(n), channelOf(lg, kind)])),
    };
    const program = new Pregel({
      nodes: { ...Object.fromEntries(nodes), entry: Channel.subscribeTo("in").pipe(Channel.writeTo(["c0"])) },
      channels,
      inputChannels: "in",
      outputChannels: made.channels.map((_, n) => nameOf(n)),
      checkpointer: saver,
    });
    for (const input of made.inputs) {
      try {
        await t.steps(program, input, { ...thread("1"), recursionLimit: 8 });
      } catch (error) {
        // the original cannot show a step whose writes do not fit together
        t.note("failed", (error as Error).name);
        break;
      }
      await t.state(program, thread("1"));
    }
    await t.saved(saver, "1");
  });
