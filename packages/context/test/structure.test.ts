import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CANCELLED_RESULT, countOrphans, repair, structureOf } from "../src/index.ts";
import { assistant, calls, result, thread, user } from "./threads.ts";

/** What every provider demands, said once more and differently from the code under test. */
function isValid(messages: readonly BaseMessage[]): boolean {
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.type === "tool") {
      if (waiting.shift() !== (message as ToolMessage).tool_call_id) return false;
      continue;
    }
    if (waiting.length > 0) return false;
    waiting = ((message as { tool_calls?: { id?: string }[] }).tool_calls ?? []).map((call) => call.id ?? "");
  }
  return waiting.length === 0;
}

const spans = (messages: BaseMessage[]): string[] =>
  structureOf(messages).units.map(({ start, end }) => `${start}-${end}`);

describe("units of a list (C4)", () => {
  it("a chain with parallel calls is one unit", () => {
    expect(spans([user("a"), calls("x", "y"), result("x"), result("y"), assistant("b")])).toEqual([
      "0-1",
      "1-4",
      "4-5",
    ]);
  });

  it("what stands between a call and its last result belongs to the unit", () => {
    expect(spans([calls("x", "y"), result("x"), user("hurry"), result("y"), assistant("b")])).toEqual([
      "0-4",
      "4-5",
    ]);
  });

  it("a call whose results may still come reaches to the end; a user message gives it up", () => {
    expect(spans([user("a"), calls("x", "y"), result("x")])).toEqual(["0-1", "1-3"]);
    expect(spans([calls("x"), user("never mind"), user("go on")])).toEqual(["0-1", "1-2", "2-3"]);
  });

  it("chains answered crosswise are one unit", () => {
    expect(spans([calls("x"), calls("y"), result("x"), result("y"), user("z")])).toEqual(["0-4", "4-5"]);
  });

  it("an id that is used again for another call finds its own result (B7)", () => {
    const { chains, orphans } = structureOf([
      calls("x"),
      result("x", "one"),
      user("again"),
      calls("x"),
      result("x", "two"),
    ]);
    expect(chains.map((chain) => chain.results)).toEqual([[1], [4]]);
    expect(orphans).toEqual([]);
  });

  it("orphans are named with their reason", () => {
    const { orphans } = structureOf([result("z"), calls("x"), result("x"), result("x")]);
    expect(orphans).toEqual([
      { index: 0, reason: "no-call" },
      { index: 3, reason: "answered" },
    ]);
  });

  it("cover every list without gap or overlap, and no chain crosses a border", () => {
    fc.assert(
      fc.property(thread, (messages) => {
        const { units, chains } = structureOf(messages);
        let at = 0;
        for (const { start, end } of units) {
          expect(start).toBe(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBe(messages.length);
        for (const chain of chains) {
          const unit = units.find(({ start, end }) => chain.index >= start && chain.index < end);
          expect(unit !== undefined && chain.last < unit.end).toBe(true);
        }
      }),
    );
  });
});

describe("repair (C4)", () => {
  it("answers cancelled calls, drops orphans, moves late results, and says so", () => {
    const list = [result("z"), calls("x", "y"), user("hurry"), result("y", "late"), assistant("done")];
    const { messages, report, changed } = repair(list);
    expect(changed).toBe(true);
    expect(messages.map((message) => message.type)).toEqual(["ai", "tool", "tool", "human", "ai"]);
    expect(messages[1]?.content).toBe(CANCELLED_RESULT);
    expect((messages[1] as ToolMessage).status).toBe("error");
    expect(messages[2]).toBe(list[3]);
    expect(report).toEqual({
      cancelled: [{ messageId: list[1]?.id, callId: "x" }],
      dropped: [{ messageId: list[0]?.id, callId: "z", reason: "no-call" }],
      moved: 1,
    });
  });

  it("gives a valid list back as the same array", () => {
    const list = [user("a"), calls("x", "y"), result("x"), result("y"), assistant("b")];
    expect(repair(list).messages).toBe(list);
  });

  it("puts parallel results into the order of their calls", () => {
    const list = [calls("x", "y"), result("y"), result("x")];
    expect(countOrphans(list)).toBe(2);
    expect(repair(list).messages).toEqual([list[0], list[2], list[1]]);
  });

  it("makes any list valid, twice is once, and the same list gives the same prompt", () => {
    fc.assert(
      fc.property(thread, (messages) => {
        const once = repair(messages).messages;
        expect(isValid(once)).toBe(true);
        expect(countOrphans(once)).toBe(0);
        expect(repair(once).messages).toBe(once);
        expect(JSON.stringify(repair(messages).messages)).toBe(JSON.stringify(once));
        const strays = new Set(repair(messages).report.dropped.map(({ messageId }) => messageId));
        expect(
          new Set(messages.filter((message) => once.includes(message) || strays.has(message.id))),
        ).toEqual(new Set(messages));
      }),
    );
  });

  it("counts no orphan exactly where a list is valid", () => {
    fc.assert(
      fc.property(thread, (messages) => {
        expect(countOrphans(messages) === 0).toBe(isValid(messages));
      }),
    );
  });
});
