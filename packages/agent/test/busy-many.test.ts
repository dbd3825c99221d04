import { afterAll, describe, expect, it } from "vitest";
import type { BaseMessage } from "@langchain/core/messages";
import { newFolder, pairsOfSavers, second, seen } from "./busy-runs.ts";
import { askedOf, takeTurns, turnOf } from "./busy-turns.ts";

const { newPath, remove } = newFolder();
afterAll(remove);

/** Ids of what every checkpoint of the thread says was asked. */
async function askedIn(states: AsyncIterable<{ readonly values: unknown }>): Promise<Set<string>> {
  const asked = new Set<string>();
  for await (const { values } of states) {
    for (const message of (values as { messages?: BaseMessage[] }).messages ?? []) {
      if (message.type === "human") asked.add(message.text);
    }
  }
  return asked;
}

describe.each(pairsOfSavers(newPath))(
  "many callers that take one thread from each other (F6), %s",
  (_, make) => {
    it("leave the turns that were answered, only whole ones, and not a checkpoint of another", async () => {
      const [one, other] = make();
      const rows = ["a", "b", "c", "d"].map((caller) => [1, 2].map((n) => `${caller}${n}`));
      const answered = await Promise.all(
        rows.map((names, at) => takeTurns(at % 2 === 0 ? one : other, "t", names)),
      );
      const agent = second(one);
      const thread = { configurable: { thread_id: "t" } };
      const { values, next } = await agent.getState(thread);
      const messages = seen(values.full_messages);
      const names = askedOf(messages);
      expect(messages).toEqual(names.flatMap(turnOf));
      expect(next).toEqual([]);
      // one may be whole whose caller was told that it was stopped, while its last step was on its way
      expect(names).toEqual(expect.arrayContaining(answered.flat()));
      expect(await askedIn(agent.getStateHistory(thread))).toEqual(new Set(names));
    });
  },
);
