import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createTokenCounter,
  markGrown,
  planClearing,
  planCompression,
  planLoopView,
  planOffloading,
  type TokenCounter,
} from "../src/index.ts";
import { assistant, calls, result, system, thread, user } from "./threads.ts";

type Planner = (messages: readonly BaseMessage[], counter: TokenCounter) => unknown;

const clearing = { placeholder: "[cleared]", clearToolInputs: false, saveAtLeast: 0 };
const view = { loops: 2, characters: 30, maxAge: Infinity, now: 0 };

const planners: Record<string, Planner> = {
  "compression, all of it at once": (messages, counter) =>
    planCompression(messages, { limit: 20, keepTurns: 1, saveAtLeast: 0, counter }),
  "compression that waits": (messages, counter) =>
    planCompression(messages, { limit: 9, keepTurns: 2, saveAtLeast: 700, counter }),
  "compression of some tools": (messages, counter) => {
    const excludeTools = new Set(["tool_0", "search"]);
    return planCompression(messages, { limit: 20, keepTurns: 0, saveAtLeast: 0, counter, excludeTools });
  },
  "clearing by number": (messages, counter) =>
    planClearing(messages, { ...clearing, keep: { messages: 3 }, counter }),
  "clearing by tokens, with arguments": (messages, counter) =>
    planClearing(messages, { ...clearing, keep: { tokens: 60 }, clearToolInputs: true, counter }),
  "clearing of some tools that waits, with arguments": (messages, counter) => {
    const excludeTools = new Set(["tool_1"]);
    const rule = { ...clearing, keep: { messages: 1 }, clearToolInputs: true, saveAtLeast: 500 };
    return planClearing(messages, { ...rule, counter, excludeTools });
  },
  offloading: (messages, counter) => planOffloading(messages, { limit: 30, keep: 12, counter }),
  "loop view": (messages, counter) => planLoopView(messages, { ...view, counter }),
  "loop view of all loops": (messages, counter) =>
    planLoopView(messages, { ...view, loops: 100, characters: 1e6, counter }),
};

/** Rules under which nothing is ever to be done. */
const quiet: Record<string, Planner> = {
  compression: (messages, counter) =>
    planCompression(messages, { limit: 20, keepTurns: 5, saveAtLeast: 1e9, counter }),
  "clearing by number": (messages, counter) =>
    planClearing(messages, { ...clearing, keep: { messages: 3 }, saveAtLeast: 1e9, counter }),
  "clearing by tokens": (messages, counter) =>
    planClearing(messages, { ...clearing, keep: { tokens: 900 }, saveAtLeast: 1e9, counter }),
  "clearing with arguments": (messages, counter) =>
    planClearing(messages, {
      ...clearing,
      keep: { messages: 3 },
      clearToolInputs: true,
      saveAtLeast: 1e9,
      counter,
    }),
  offloading: (messages, counter) => planOffloading(messages, { limit: 1_000, keep: 12, counter }),
};

/** What happens to one of the lists that there are; the result is one more of them. */
const step = fc.record({
  kind: fc.constantFrom("append", "append", "append", "edit", "remove", "rewrite", "show", "again"),
  from: fc.nat(3),
  at: fc.nat(200),
  more: thread,
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The list after a step on `base`. Marks are set as the channel sets them: where messages were only appended. */
function after(base: readonly BaseMessage[], step: Step, plan: unknown): BaseMessage[] {
  // no list becomes empty
  const at = step.at % base.length;
  const more = step.more.length === 0 ? [user("more")] : step.more;
  switch (step.kind) {
    case "append": {
      const longer = [...base, ...more];
      markGrown(longer, base);
      return longer;
    }
    case "edit":
      return [...base.slice(0, at), ...more.slice(0, 1), ...base.slice(at + 1)];
    case "remove":
      return base.length > 1 ? base.filter((_, index) => index !== at) : [...base];
    case "rewrite": {
      const { id } = base[at] as BaseMessage;
      return base.with(at, new AIMessage({ content: "edited", ...(id === undefined ? {} : { id }) }));
    }
    case "show": {
      const { remove = [], replace } = plan as { remove?: string[]; replace: BaseMessage[] };
      const shorter = new Map(replace.map((message) => [message.id, message]));
      const shown = base.filter(({ id }) => !remove.includes(id as string));
      return shown.length === 0 ? [...base] : shown.map((one) => shorter.get(one.id) ?? one);
    }
    default:
      return base as BaseMessage[];
  }
}

/** Lists of a thread: they begin alike and are long enough for marks to be set. */
const beginning = [system("be brief"), ...Array.from({ length: 1_000 }, (_, at) => assistant(`note ${at}`))];

describe("plans of lists that grow, are edited, cut and forked (10)", () => {
  it.each(Object.entries(planners))("%s: as of a list that was never seen", (_name, plan) => {
    const isLong = fc.boolean();
    fc.assert(
      fc.property(thread, isLong, fc.array(step, { minLength: 1, maxLength: 10 }), (start, long, steps) => {
        const counter = createTokenCounter();
        const lists: BaseMessage[][] = [[...(long ? beginning : [user("hello")]), ...start]];
        for (const one of steps) {
          const base = lists.at(-1 - (one.from % lists.length)) as BaseMessage[];
          const next = after(base, one, plan(base, counter));
          lists.push(next);
          expect(plan(next, counter)).toEqual(plan([...next], createTokenCounter()));
        }
      }),
      { numRuns: 25 },
    );
  });

  it.each(Object.entries(quiet))("%s: what a list grew from is not looked at again", (_name, plan) => {
    const counter = createTokenCounter();
    let list: BaseMessage[] = Array.from({ length: 1_000 }, turn).flat();
    let looked = 0;
    for (let turns = 0; turns < 3; turns++) {
      const longer = [...list, ...turn()];
      markGrown(longer, list);
      list = longer;
      const { read, seen } = watched(list);
      expect(plan(seen, counter)).toMatchObject({ replace: [] });
      looked = read.size;
    }
    expect(looked).toBeLessThan(100);
  });

  it("loop view: what a list grew from is not looked at again", () => {
    const counter = createTokenCounter();
    const rule = { loops: 1e6, characters: 500, maxAge: Infinity, now: 0, counter };
    const list = Array.from({ length: 1_000 }, said).flat();
    expect(planLoopView(list, rule)).toMatchObject({ remove: [], replace: [] });
    const longer = [...list, ...said()];
    markGrown(longer, list);
    expect(planLoopView(longer, rule)).toMatchObject({ remove: [], replace: [] });
    const { read, seen } = watched([...longer, ...said()]);
    markGrown(seen, longer);
    expect(planLoopView(seen, rule)).toMatchObject({ remove: [], replace: [] });
    expect(read.size).toBeLessThan(100);
  });

  it("loop view: once the newest loop was condensed, those before it are not read again", () => {
    const counter = createTokenCounter();
    const rule = { loops: 1e6, characters: 500, maxAge: Infinity, now: 0, counter };
    let list: BaseMessage[] = [];
    const next = (): void => {
      list = [...list, ...turn()];
      list = after(list, { kind: "show", from: 0, at: 0, more: [] }, planLoopView(list, rule));
    };
    for (let turns = 0; turns < 300; turns++) next();
    let looked = 0;
    for (const message of list) {
      const { content } = message;
      Object.defineProperty(message, "content", { get: () => (looked++, content), configurable: true });
    }
    for (let turns = 0; turns < 2; turns++) next();
    expect(list).toHaveLength(301 * 2 + 4);
    expect(looked).toBeLessThan(300);
  });

  it("an edit in place of a new message is noticed at once", () => {
    const counter = createTokenCounter();
    const rule = { limit: 20, keepTurns: 0, saveAtLeast: 0, counter };
    const list = [user("and?"), calls("x"), result("x", "short")];
    expect(planCompression(list, rule).replace).toEqual([]);
    (list[2] as BaseMessage).content = "a text of quite another length ".repeat(20);
    expect(planCompression(list, rule).replace).toHaveLength(1);
  });
});

const turn = (): BaseMessage[] => [
  user("and?"),
  calls("x"),
  result("x", "found ".repeat(40)),
  assistant("so"),
];

const said = (): BaseMessage[] => [user("and?"), assistant("so")];

/** Positions that are read of a list. */
function watched(list: BaseMessage[]): { readonly seen: BaseMessage[]; readonly read: Set<string> } {
  const read = new Set<string>();
  const get = (target: BaseMessage[], key: string | symbol): unknown => {
    if (typeof key === "string" && key !== "length") read.add(key);
    return Reflect.get(target, key) as unknown;
  };
  return { seen: new Proxy(list, { get }), read };
}
