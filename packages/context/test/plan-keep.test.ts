import { describe, expect, it } from "vitest";
import { frameOverhead, frameSummary, type Plan } from "../src/index.ts";
import { compacted, counter, idle, plan, summaryOf, talk } from "./plans.ts";
import { assistant, calls, result, user } from "./threads.ts";

describe("what stays (C2, C4)", () => {
  const options = { trigger: { messages: 8 }, keep: { messages: 6 } };

  it("the last messages, and a chain that does not fit goes whole", () => {
    const list = [user("a"), calls("x", "y"), result("x"), result("y"), ...talk(2), user("z")];
    const due = compacted(plan(list, options));
    expect(due.keep).toEqual(list.slice(4));
    expect(due.summarize).toEqual(list.slice(0, 4));
  });

  it("the newest unit stays even if it is larger than anything allowed", () => {
    const ids = Array.from({ length: 12 }, (_, index) => `p${index}`);
    const list = [user("a"), calls(...ids), ...ids.map((id) => result(id))];
    expect(compacted(plan(list, options)).keep).toEqual(list.slice(1));
  });

  it("turns: from the user message on", () => {
    const list = [...talk(3), user("u"), calls("x"), result("x"), assistant("done")];
    const due = compacted(plan(list, { trigger: { messages: 8 }, keep: { turns: 2 } }));
    expect(due.keep).toEqual(list.slice(4));
  });

  it("tokens, and the smallest of several figures", () => {
    const list = talk(5);
    expect(compacted(plan(list, { trigger: { messages: 8 }, keep: { tokens: 35 } })).keep.length).toBe(3);
    expect(
      compacted(plan(list, { trigger: { messages: 8 }, keep: { tokens: 35, messages: 2 } })).keep.length,
    ).toBe(2);
  });

  it("a target keeps all that fits below it, however little the minimum is (C3)", () => {
    const due = compacted(
      plan(talk(60), {
        trigger: { tokens: 1000 },
        target: { tokens: 600 },
        keep: { messages: 4 },
        summaryTokens: 100,
      }),
    );
    expect(due.report.expectedTokens).toBeLessThanOrEqual(600);
    expect(due.report.expectedTokens).toBeGreaterThan(580);
    expect(due.keep.length).toBeGreaterThan(40);
    expect(due.report.belowMinimum).toBeUndefined();
  });

  it("the target goes before the minimum kept, and the report says so", () => {
    const due = compacted(
      plan(talk(60), {
        trigger: { tokens: 1000 },
        target: { tokens: 300 },
        keep: { messages: 40 },
        summaryTokens: 50,
      }),
    );
    expect(due.report.expectedTokens).toBeLessThanOrEqual(300);
    expect(due.report.belowMinimum).toBe(true);
  });

  it("a trigger that counts messages falls below itself although the target would allow more", () => {
    const due = compacted(
      plan(talk(15), { trigger: { messages: 30 }, target: { tokens: 30_000 }, keep: { messages: 20 } }),
    );
    expect(due.keep.length).toBe(20);
  });

  it("the maximum fires by itself; what it can't remove is overBudget", () => {
    const limits = {
      trigger: { messages: 100 },
      max: { tokens: 400 },
      keep: { messages: 50 },
      summaryTokens: 50,
    };
    expect(plan(talk(19), limits).action).toBe("none");
    const due = compacted(plan(talk(20), limits));
    expect(due.report.fired).toBe("tokens 403 > maximum 400");
    expect(due.report.expectedTokens).toBeLessThanOrEqual(200);
    expect(due.overBudget).toBeUndefined();
    const ids = Array.from({ length: 60 }, (_, index) => `p${index}`);
    const chain = [calls(...ids), ...ids.map((id) => result(id))];
    expect(idle(plan(chain, limits))).toMatchObject({ reason: "nothing-older", overBudget: 213 });
    expect(compacted(plan([...talk(4), ...chain], limits)).overBudget).toBeGreaterThan(213);
  });

  it("a summary that would be no shorter than what it replaces, frame included, is not made for tokens", () => {
    const ids = Array.from({ length: 60 }, (_, index) => `p${index}`);
    const chain = [calls(...ids), ...ids.map((id) => result(id))];
    const options = { trigger: { tokens: 500 }, max: { tokens: 600 }, summaryTokens: 100 };
    const before = idle(plan([user("a"), ...chain], options));
    expect(before).toMatchObject({ reason: "too-little", overBudget: 23 });
    const due = compacted(plan([...talk(4), ...chain], options));
    expect(due.summaryTokens + frameOverhead(counter)).toBeLessThan(80);
    const byCount = compacted(plan([...talk(4), ...chain], { trigger: { messages: 30 } }));
    expect(byCount.replacedTokens).toBe(80);
  });

  it("after a compaction by tokens the same trigger does not fire again", () => {
    for (const trigger of [3_000, 50_000]) {
      const list = talk(trigger / 10);
      const due = compacted(plan(list, { trigger: { tokens: trigger } }));
      const summary = summaryOf({ tokens: due.summaryTokens, madeAfter: list.at(-1)?.id ?? "" });
      const next = plan(
        [frameSummary(summary), ...due.keep, user("next")],
        { trigger: { tokens: trigger } },
        { summary },
      );
      expect(next.action).toBe("none");
    }
  });

  it("a target that the system prompt fills by itself does not mean a summary every turn", () => {
    const options = { trigger: { tokens: 1000 }, target: { tokens: 500 }, summaryTokens: 100 };
    const summary = summaryOf({ tokens: 100 });
    const due = (turns: number): Plan =>
      plan([frameSummary(summary), ...talk(turns)], options, { summary, fixedTokens: 2000 });
    expect(idle(due(5)).reason).toBe("too-little");
    expect(compacted(due(6)).report.overTarget).toBeGreaterThan(1500);
    // above a maximum that can't be reached it is no different, and the excess is said
    const hard = { ...options, max: { tokens: 1500 } };
    const over = plan([frameSummary(summary), ...talk(2)], hard, { summary, fixedTokens: 2000 });
    expect(idle(over)).toMatchObject({ reason: "too-little", overBudget: 553 });
  });

  it("nothing older than what stays: nothing is done, and why is said", () => {
    const ids = Array.from({ length: 9 }, (_, index) => `p${index}`);
    const list = [calls(...ids), ...ids.map((id) => result(id))];
    expect(idle(plan(list, options)).reason).toBe("nothing-older");
  });

  it("an empty list is planned", () => {
    expect(idle(plan([], options)).reason).toBe("not-due");
    expect(idle(plan([], { trigger: () => true })).reason).toBe("nothing-older");
  });
});
