import { AIMessage, HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { thread } from "../../context/test/threads.ts";
import { CONFIGURATIONS, wrongWith } from "./restoring.ts";

const stretches = fc
  .record({
    messages: thread,
    cuts: fc.array(
      fc.record({ at: fc.nat(60), configuration: fc.constantFrom(...Object.keys(CONFIGURATIONS)) }),
      {
        minLength: 1,
        maxLength: 5,
      },
    ),
  })
  .map(({ messages, cuts }) => {
    const places = [...new Set([0, ...cuts.map(({ at }) => Math.min(at, messages.length))])].toSorted(
      (a, b) => a - b,
    );
    return places.map((from, at) => ({
      configuration: cuts[at % cuts.length]?.configuration ?? "narrow",
      messages: messages.slice(from, places[at + 1]),
    }));
  });

it.each(["narrow", "wide", "compressing", "whole"])(
  "what loops or a window left out is covered or sent again under %s",
  async (configuration) => {
    const messages = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0
        ? new HumanMessage({ id: `m${n}`, content: `q${n}` })
        : new AIMessage({ id: `m${n}`, content: `a${n}` }),
    );
    for (const before of ["loops", "window"]) {
      const written = [
        { configuration: before, messages: messages.slice(0, 14) },
        { configuration, messages: messages.slice(14) },
      ];
      expect(await wrongWith(written)).toEqual([]);
    }
  },
);

it("any thread under any sequence of configurations: covered or sent, the history whole (B6, C6)", async () => {
  await fc.assert(
    fc.asyncProperty(stretches, async (written) => {
      expect(await wrongWith(written)).toEqual([]);
    }),
    { numRuns: 15 },
  );
});
