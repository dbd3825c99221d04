import {
  AIMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { Overwrite, REMOVE_ALL_MESSAGES, START, StateGraph, StateSchema } from "@skein/graph";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactMessages, dualTrackMessages } from "../src/index.ts";
import { SAVERS } from "./savers.ts";

/** What a node or an input may do to `messages`; positions are taken modulo the context's length. */
type Action =
  | { kind: "append"; count: number }
  | { kind: "revise"; at: number }
  | { kind: "repeat" }
  | { kind: "remove"; at: number }
  | { kind: "clear"; append: boolean }
  | { kind: "overwrite"; keep: number }
  | { kind: "compact"; count: number; shorten: number }
  | { kind: "langchain"; keep: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("append" as const), count: fc.integer({ min: 1, max: 4 }) }),
  },
  fc.record({ kind: fc.constant("revise" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("repeat" as const) }),
  fc.record({ kind: fc.constant("remove" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("clear" as const), append: fc.boolean() }),
  fc.record({ kind: fc.constant("overwrite" as const), keep: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant("compact" as const), count: fc.nat({ max: 5 }), shorten: fc.nat() }),
  fc.record({ kind: fc.constant("langchain" as const), keep: fc.nat({ max: 3 }) }),
);

interface Placed {
  readonly id: string;
  text: string;
  readonly synthetic: boolean;
}

/** The two tracks as they must be, kept with nothing but ids and texts. */
class Model {
  readonly history = new Map<string, string>();
  context: Placed[] = [];
  #next = 0;

  /** The write of an action, given the context's real messages; and what must come of it. */
  write(act: Action, real: readonly BaseMessage[]): unknown {
    switch (act.kind) {
      case "append":
        return Array.from({ length: act.count }, () => this.#append());
      case "revise": {
        const place = this.#place(act.at, (one) => !one.synthetic);
        if (place === undefined) return [];
        const text = `revision ${this.#next++}`;
        place.text = text;
        this.history.set(place.id, text);
        return [new AIMessage({ id: place.id, content: text })];
      }
      case "repeat":
        return [...real];
      case "remove": {
        const place = this.#place(act.at, () => true);
        if (place === undefined) return [];
        this.context = this.context.filter((one) => one !== place);
        return [new RemoveMessage({ id: place.id })];
      }
      case "clear":
        this.context = [];
        return [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...(act.append ? [this.#append()] : [])];
      case "overwrite": {
        this.context = this.context.filter((one) => !one.synthetic).slice(0, act.keep);
        const kept = this.context.map(({ id }) => real.find((message) => message.id === id) as BaseMessage);
        return new Overwrite([...kept, this.#append()]);
      }
      case "compact":
        return this.#compact(act);
      case "langchain": {
        const kept = act.keep === 0 ? [] : this.context.slice(-act.keep);
        const tail = kept.map(({ id }) => real.find((message) => message.id === id) as BaseMessage);
        this.context = [this.#synthetic(), ...kept];
        const id = this.context[0]?.id as string;
        const summary = new HumanMessage({
          id,
          content: id,
          additional_kwargs: { lc_source: "summarization" },
        });
        return [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), summary, ...tail];
      }
    }
  }
  #compact({ count, shorten }: { count: number; shorten: number }): unknown {
    const gone = this.context.slice(0, count);
    const rest = this.context.slice(count);
    const short = rest.filter((one) => !one.synthetic)[shorten % 3];
    if (short !== undefined) short.text = "short";
    const summary = this.#synthetic();
    this.context = [summary, ...rest];
    return compactMessages({
      remove: gone.map(({ id }) => id),
      replace: short === undefined ? [] : [new AIMessage({ id: short.id, content: "short" })],
      summary: new SystemMessage({ id: summary.id, content: summary.text }),
    });
  }
  #append(): BaseMessage {
    const id = `m${this.#next++}`;
    this.context.push({ id, text: id, synthetic: false });
    this.history.set(id, id);
    return new HumanMessage({ id, content: id });
  }
  #synthetic(): Placed {
    const id = `s${this.#next++}`;
    return { id, text: id, synthetic: true };
  }
  #place(at: number, fits: (one: Placed) => boolean): Placed | undefined {
    const fitting = this.context.filter(fits);
    return fitting.length === 0 ? undefined : fitting[at % fitting.length];
  }
}

const State = new StateSchema(dualTrackMessages());
const thread = { configurable: { thread_id: "t" } };
const shape = (messages: readonly BaseMessage[]): [string | undefined, string][] =>
  messages.map(({ id, text }) => [id, text]);

/** All of them in the long run: a round trip to PostgreSQL takes its time. */
const runs = process.env["SKEIN_TESTS"] === "long" ? 60 : 15;

describe.each(SAVERS)("any sequence of writes on %s", (_, makeSaver) => {
  it("leaves in the history exactly what was appended, in order, revised in place", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 25 }), async (actions) => {
        const model = new Model();
        let messages: unknown = [];
        const graph = new StateGraph(State)
          .addNode("node", () => ({ messages: messages as BaseMessage[] }))
          .addEdge(START, "node")
          .compile({ checkpointer: makeSaver() });
        for (const act of actions) {
          const { values } = await graph.getState(thread);
          messages = model.write(act, (values["messages"] ?? []) as BaseMessage[]);
          await graph.invoke({}, thread);
        }
        const { values } = await graph.getState(thread);
        expect(shape(values["messages"] as BaseMessage[])).toEqual(
          model.context.map(({ id, text }) => [id, text]),
        );
        expect(shape(values["full_messages"] as BaseMessage[])).toEqual([...model.history]);
        // a client that posts back all it has, and something new
        messages = [];
        const posted = [...model.history].map(([id, content]) => new HumanMessage({ id, content }));
        await graph.invoke(
          { messages: [...posted, new HumanMessage({ id: "new", content: "new" })] },
          thread,
        );
        const after = (await graph.getState(thread)).values as { [track: string]: BaseMessage[] };
        expect(after["full_messages"]?.map(({ id }) => id)).toEqual([...model.history.keys(), "new"]);
        expect(after["messages"]?.at(-1)?.id).toBe("new");
        const stood = new Set(model.context.map(({ id }) => id));
        expect(after["messages"]?.filter(({ id }) => stood.has(id as string)).map(({ id }) => id)).toEqual([
          ...stood,
        ]);
      }),
      { numRuns: runs },
    );
  });
});
