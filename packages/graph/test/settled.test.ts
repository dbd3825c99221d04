import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messagesStateReducer } from "../src/index.ts";

/** Longer than the lists that are looked through each time. */
const LENGTH = 520;

const messages = (length = LENGTH): BaseMessage[] =>
  Array.from({ length }, (_, at) => new HumanMessage({ id: `m${at}`, content: `${at}` }));

const said = (list: readonly BaseMessage[]): string[] => list.map(({ id, content }) => `${id}=${content}`);

const operation = fc.record({
  what: fc.constantFrom("merge", "merge", "merge", "merge", "rename", "swap", "push", "pop", "plain"),
  list: fc.nat({ max: 5 }),
  at: fc.nat({ max: LENGTH - 1 }),
  id: fc.oneof(fc.nat({ max: LENGTH + 20 }), fc.nat({ max: 5 })).map((at) => `m${at}`),
});

describe("a long list whose ids were noted (A3)", () => {
  it("is merged as one that nobody has seen, whatever is done to it and its messages meanwhile", () => {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 8, maxLength: 60 }), (operations) => {
        const lists = [messages()];
        const [found, wanted]: string[][][] = [[], []];
        for (const [step, { what, list: of, at, id }] of operations.entries()) {
          const list = lists[of % lists.length] as BaseMessage[];
          const message = new AIMessage({ id, content: `step ${step}` });
          if (what === "rename") (list[at] as BaseMessage).id = id;
          else if (what === "swap") list[at] = message;
          else if (what === "push") list.push(message);
          else if (what === "pop") list.pop();
          else if (what === "plain") list[at] = { role: "user", content: "plain", id } as never;
          else {
            const asNew = messagesStateReducer(list.slice(), message);
            const merged = messagesStateReducer(list, message);
            found?.push(said(merged));
            wanted?.push(said(asNew));
            if (lists.length < 6) lists.push(merged);
            else lists[at % 6] = merged;
          }
          if (lists.some(({ length }) => length < LENGTH - 5)) break;
        }
        expect(found).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });

  it("finds messages again in lists that were made of one another, and of the same one", () => {
    let list = messages();
    for (let at = 0; at < 12; at += 1)
      list = messagesStateReducer(list, new AIMessage({ id: `a${at}`, content: "" }));
    const [left, right] = ["left", "right"].map((id) =>
      messagesStateReducer(list, new AIMessage({ id, content: id })),
    ) as [BaseMessage[], BaseMessage[]];
    for (const [branch, id, other] of [
      [left, "left", "right"],
      [right, "right", "left"],
    ] as const) {
      const again = messagesStateReducer(branch, new AIMessage({ id, content: "again" }));
      expect(again).toHaveLength(branch.length);
      expect(again.at(-1)?.content).toBe("again");
      expect(messagesStateReducer(branch, new AIMessage({ id: other, content: "" }))).toHaveLength(
        branch.length + 1,
      );
    }
    expect(messagesStateReducer(left, new RemoveMessage({ id: "a3" }))).toHaveLength(left.length - 1);
    expect(() => messagesStateReducer(left, new RemoveMessage({ id: "right" }))).toThrow("right");
  });

  it("grows beyond the room that was made for it", () => {
    let list = messages(1_000);
    for (let at = 0; at < 1_100; at += 1)
      list = messagesStateReducer(list, new AIMessage({ id: `message number ${at}`, content: "" }));
    const last = messagesStateReducer(list, new AIMessage({ id: "message number 1050", content: "new" }));
    expect(last).toHaveLength(2_100);
    expect(last[2_050]?.content).toBe("new");
  });
});
