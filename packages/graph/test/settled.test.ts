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
  list: fc.nat({ max: 2 }),
  at: fc.nat({ max: LENGTH - 1 }),
  id: fc.oneof(
    fc.nat({ max: 3 }).map((at) => `m${at}`),
    fc.nat({ max: 3 }).map((at) => `renamed ${at}`),
  ),
});

describe("a long list whose ids were noted (A3)", () => {
  it("is merged as one that nobody has seen, whatever is done to it and its messages meanwhile", () => {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 8, maxLength: 60 }), (operations) => {
        const lists = [messages()];
        for (let look = 0; look < 6; look += 1)
          lists.push(
            messagesStateReducer(lists[0] as BaseMessage[], new AIMessage({ id: "x", content: "" })),
          );
        lists.length = 2;
        const found: string[][] = [];
        const wanted: string[][] = [];
        for (const [step, { what, list: of, at, id }] of operations.entries()) {
          const list = lists[of % lists.length] as BaseMessage[];
          const message = new AIMessage({ id, content: `step ${step}` });
          if (what === "rename") (list[at] as BaseMessage).id = id;
          else if (what === "swap") list[at] = message;
          else if (what === "push") list.push(at % 2 === 0 ? message : new AIMessage("without an id"));
          else if (what === "pop") list.pop();
          else if (what === "plain") list[at] = { role: "user", content: "plain", id } as never;
          else {
            const merged = messagesStateReducer(list, message);
            found.push(said(merged));
            wanted.push(said(messagesStateReducer(list.slice(), message)));
            if (lists.length < 3) lists.push(merged);
            else if (at % 4 === 0) lists[step % 3] = merged;
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

  it("gives an id to a message that was pushed onto it", () => {
    let list = messages();
    for (let look = 0; look < 6; look += 1)
      list = messagesStateReducer(list, new AIMessage({ id: `a${look}`, content: "" }));
    list.push(new HumanMessage("pushed"));
    const merged = messagesStateReducer(list, new AIMessage({ id: "last", content: "" }));
    expect(merged.at(-2)).toMatchObject({ content: "pushed", id: expect.any(String) as string });
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
