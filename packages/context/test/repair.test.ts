import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { structureOf } from "../src/chains/units.ts";
import { CANCELLED_RESULT, countOrphans, markGrown, repair } from "../src/index.ts";
import { assistant, calls, result, thread, user } from "./threads.ts";

/** What repair is to give, by a walk through the whole list: ids, where a stand-in has the call's. */
function walked(messages: readonly BaseMessage[]) {
  const { chains, orphans } = structureOf(messages);
  const asking = new Map(chains.map((chain) => [chain.index, chain]));
  const shown = messages.flatMap((message, index): string[] => {
    if (message.type === "tool") return [];
    const chain = asking.get(index);
    const results = chain?.results.map((at, position) =>
      at === undefined ? `cancelled:${message.id}:${position}` : (messages[at]?.id ?? ""),
    );
    return [message.id ?? "", ...(results ?? [])];
  });
  const dropped = orphans.map(({ index, reason }) => ({ messageId: messages[index]?.id, reason }));
  return { shown: shown.join(), dropped, orphans: countOrphans(messages) - orphans.length };
}

function repaired(messages: readonly BaseMessage[], asker: object) {
  const { messages: shown, changed, report } = repair(messages, asker);
  expect(changed).toBe(shown !== messages);
  return {
    shown: shown.map(({ id = "" }) => id).join(),
    dropped: report.dropped.map(({ messageId, reason }) => ({ messageId, reason })),
    orphans: report.cancelled.length + report.moved,
  };
}

const step = fc.record({
  kind: fc.constantFrom("append", "append", "append", "edit", "remove", "again"),
  from: fc.nat(3),
  at: fc.nat(80),
  more: thread,
});

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Ids of one list differ, those of its branches need not. */
function after(base: readonly BaseMessage[], { kind, at, more }: Step): BaseMessage[] {
  const fresh = more.map((message, index) => Object.assign(message, { id: `${base.length}-${index}` }));
  const place = base.length === 0 ? 0 : at % base.length;
  if (kind === "edit") return [...base.slice(0, place), ...fresh.slice(0, 1), ...base.slice(place + 1)];
  if (kind === "remove") return base.filter((_, index) => index !== place);
  if (kind === "again") return base as BaseMessage[];
  const longer = [...base, ...fresh];
  markGrown(longer, base);
  return longer;
}

const valid = (turns: number): BaseMessage[] =>
  Array.from({ length: turns }, () => [user("and?"), calls("x"), result("x"), assistant("so")]).flat();

describe("repair of lists that grow, are edited, cut and forked (10, C4)", () => {
  it("is what a walk through the whole list finds, whatever was repaired before", () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(thread, fc.boolean(), steps, (start, long, all) => {
        const asker = {};
        const lists: BaseMessage[][] = [[...(long ? valid(260) : [user("hello")]), ...start]];
        for (const one of all) {
          const base = lists.at(-1 - (one.from % lists.length)) as BaseMessage[];
          const next = after(base, one);
          lists.push(next);
          const { orphans, ...expected } = walked(next);
          expect(repaired(next, asker)).toEqual({ ...expected, orphans });
        }
      }),
      { numRuns: 40 },
    );
  });

  it("looks only at what is new, also where something was wrong with what is old", () => {
    const asker = {};
    const broken = [...valid(300), calls("never"), ...valid(300), result("stray"), ...valid(300)];
    for (const start of [valid(900), broken]) {
      let list = start;
      repair(list, asker);
      let looked = 0;
      for (const message of start) {
        const { type } = message;
        Object.defineProperty(message, "type", { get: () => (looked++, type), configurable: true });
      }
      for (let turn = 0; turn < 3; turn++) {
        const longer = [...list, ...valid(1)];
        markGrown(longer, list);
        list = longer;
        expect(countOrphans(repair(list, asker).messages)).toBe(0);
        looked = 0;
        repair(list, asker);
        expect(looked).toBe(0);
      }
    }
  });

  it("a result that comes late takes the place of its stand-in; until then that is the same message", () => {
    const list = [user("go"), calls("x", "y"), result("y")];
    const first = repair(list).messages;
    expect(first[2]).toMatchObject({ content: CANCELLED_RESULT, tool_call_id: "x" });
    const longer = [...list, user("and?")];
    expect(repair(longer).messages[2]).toBe(first[2]);
    const late = result("x", "here it is");
    expect(repair([...longer, late]).messages[2]).toBe(late);
    expect(repair(list).messages).toEqual(first);
  });

  it("calls and ids that are exchanged in place are noticed at once in new messages", () => {
    const list = [user("go"), calls("x"), result("x"), assistant("done")];
    expect(repair(list).changed).toBe(false);
    (list[2] as ToolMessage).tool_call_id = "other";
    expect(repair(list).report).toMatchObject({
      cancelled: [{ callId: "x" }],
      dropped: [{ callId: "other" }],
    });
    (list[2] as ToolMessage).tool_call_id = "x";
    (list[1] as AIMessage).tool_calls = [];
    expect(repair(list).report.dropped).toHaveLength(1);
  });

  it("in old ones when their turn comes", () => {
    const asker = {};
    let list = valid(300);
    repair(list, asker);
    (list[41] as AIMessage).tool_calls = [];
    for (let turn = 0; turn < 1_200 / 32; turn++) {
      list = [...list, user("next")];
      repair(list, asker);
    }
    expect(repair(list, asker).report.dropped).toHaveLength(1);
  });

  it("a list that can't be taken is forgotten, not half remembered", () => {
    const asker = {};
    const list = [user("go"), calls("x"), null as unknown as BaseMessage];
    expect(() => repair(list, asker)).toThrow(expect.objectContaining({ code: "INVALID_MESSAGE" }) as Error);
    const mended = [...list.slice(0, 2), result("x"), assistant("done")];
    expect(repair(mended, asker)).toMatchObject({ changed: false });
  });
});
