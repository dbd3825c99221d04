import { type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { Overwrite, REMOVE_ALL_MESSAGES } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { SAVERS } from "../../agent/test/savers.ts";
import { loops, q, summaries, talking, thread, user } from "./restarts.ts";

const removeAll = () => new RemoveMessage({ id: REMOVE_ALL_MESSAGES });

const CLEARS: readonly [string, (context: readonly BaseMessage[]) => unknown, string[]][] = [
  ["remove-all", () => [removeAll()], []],
  ["an Overwrite", () => new Overwrite([new HumanMessage({ id: "q20", content: "q20" })]), ["q20"]],
  [
    "the removal of the summary",
    ([summary]) => new RemoveMessage({ id: summary?.id as string }),
    ["q5", "q6"],
  ],
];

describe.each(SAVERS)("what was cleared stays cleared, on %s (B3, B6)", (_name, makeSaver) => {
  const wide = summaries({ trigger: { messages: 60 }, keep: { messages: 40 } });

  it.each(CLEARS)("with %s goes what a summary covered", async (_by, clear, left) => {
    const { say, agentWith, tracks } = talking(makeSaver());
    for (let n = 0; n < 7; n += 1) await say(q(n), summaries());
    const { messages } = await tracks();
    expect(user(messages.map(({ text }) => text))).toEqual(["q5", "q6"]);
    const write = { messages: clear(messages) } as { messages: BaseMessage[] };
    await agentWith(summaries()).updateState(thread, write);
    expect(user(await say(q(7), wide))).toEqual([...left, "q7"]);
    const asked = (await tracks()).full_messages.flatMap(({ id }) => (/^q[0-7]$/u.test(id ?? "") ? id : []));
    expect(asked).toEqual(Array.from({ length: 8 }, (_, n) => q(n)));
  });

  it("and what run loops left out, also where the write that rebuilds the context clears it", async () => {
    const { say, agentWith, prompts } = talking(makeSaver());
    for (let n = 0; n < 5; n += 1) await say(q(n), loops(1));
    await agentWith(wide).invoke({ messages: [removeAll(), new HumanMessage("q5")] }, thread);
    expect((prompts.at(-1) as BaseMessage[]).map(({ text }) => text)).toEqual(["q5"]);
    expect(user(await say(q(6), loops(4)))).toEqual(["q5", "q6"]);
  });
});
