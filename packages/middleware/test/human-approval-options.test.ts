import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { humanInTheLoopMiddleware, type HumanInTheLoopOptions } from "../src/human-approval/index.ts";
import { call, onThread, recorded, saying, says } from "./replies.ts";

const invalid = (words: RegExp) =>
  expect.objectContaining({ code: "INVALID_CONFIGURATION", message: expect.stringMatching(words) });
const make = (options: unknown) => () => humanInTheLoopMiddleware(options as HumanInTheLoopOptions);

/** Asks about a payment with rules of the agent or of the run; whether it ran. */
async function pays(interruptOn: unknown, context?: Record<string, unknown>) {
  const pay = recorded("pay");
  const agent = createAgent({
    model: saying([call("pay")], "done"),
    tools: [pay],
    checkpointer: new MemorySaver(),
    middleware: [humanInTheLoopMiddleware({ interruptOn } as HumanInTheLoopOptions)],
  });
  const config = { ...onThread("t"), ...(context === undefined ? {} : { context }) };
  let failure: unknown;
  let asked = false;
  try {
    asked = (await agent.invoke(says("go"), config)).__interrupt__ !== undefined;
  } catch (error) {
    failure = error;
  }
  return { asked, failure, ran: pay.calls.length };
}

class Rules {
  pay = true;
}

/** What holds rules, or seems to, where nobody would find them. */
const ELSEWHERE: readonly (readonly [string, unknown])[] = [
  ["a Map", new Map([["pay", true]])],
  ["a Set", new Set(["pay"])],
  ["a list", ["pay"]],
  ["an empty list", []],
  ["a date", new Date()],
  ["a class", new Rules()],
  ["inherited", Object.create({ pay: true })],
  ["inherited from none", Object.create(Object.assign(Object.create(null), { pay: true }))],
  ["a promise", Promise.resolve("all")],
  ["by a symbol", { [Symbol("pay")]: true }],
];

describe("human approval: rules that nobody would find (E3)", () => {
  it.each(ELSEWHERE)("are refused: %s", (_name, interruptOn) => {
    expect(make({ interruptOn })).toThrowError(invalid(/interruptOn must be .* plain object/u));
  });

  it.each<readonly [string, unknown]>([...ELSEWHERE, ["nothing", null], ["a number", 5]])(
    "end the run when they stand in its context: %s",
    async (_name, interruptOn) => {
      const { asked, failure, ran } = await pays("all", { interruptOn });
      expect([asked, ran]).toEqual([false, 0]);
      expect(String(failure)).toContain("interruptOn must be");
    },
  );

  it.each([
    ["frozen", Object.freeze({ pay: true })],
    ["without a prototype", Object.assign(Object.create(null), { pay: true })],
    [
      "by a getter",
      {
        get pay() {
          return true;
        },
      },
    ],
  ])("plain objects are asked about: %s", async (_name, interruptOn) => {
    expect(await pays(interruptOn)).toMatchObject({ asked: true, ran: 0 });
  });
});

const rule = (when: () => unknown) => ({ pay: { allowedDecisions: ["approve"], when } });

describe("human approval: rules that say nothing (E3)", () => {
  it.each([
    ["when", rule(() => undefined)],
    ["when, later", rule(async () => undefined)],
    ["when, another kind", rule(() => 0)],
    ["a function of the call", () => undefined],
    ["a function of the call, later", async () => undefined],
    ["a function of the call, another kind", () => null],
  ])("end the run, and nothing ran: %s", async (_name, interruptOn) => {
    const { asked, failure, ran } = await pays(interruptOn);
    expect([asked, ran]).toEqual([false, 0]);
    expect(String(failure)).toMatch(/interruptOn of the tool "pay" must (?:say|be) true(?: or|,) false/u);
  });

  it.each([
    ["when", rule(async () => false)],
    ["a function of the call", async () => false],
  ])("one that says false lets it run: %s", async (_name, interruptOn) => {
    expect(await pays(interruptOn)).toEqual({ asked: false, failure: undefined, ran: 1 });
  });
});

describe("human approval: options in depth", () => {
  const allowedDecisions = ["approve"];
  it.each([
    ["when is no function", { when: true }, /when of interruptOn of the tool "pay" must be a function/u],
    ["when is a text", { when: "always" }, /when of .* must be a function/u],
    ["misspelt", { whn: () => true }, /has no option "whn"; the nearest one that it has is "when"/u],
    ["a description of another kind", { description: 42 }, /description of .*"pay" must be a text or a f/u],
    ["no schema", { argsSchema: "x" }, /argsSchema of .* must be an object/u],
  ])("a rule is refused: %s", async (_name, more, words) => {
    const wrong = { allowedDecisions, ...more };
    expect(make({ interruptOn: { pay: wrong } })).toThrowError(invalid(words));
    for (const { ran, failure } of [
      await pays(() => wrong),
      await pays("none", { interruptOn: { pay: wrong } }),
    ]) {
      expect(ran).toBe(0);
      expect(String(failure)).toMatch(words);
    }
  });

  it("a description that is made of nothing ends the run", async () => {
    const { ran, failure } = await pays({ pay: { allowedDecisions, description: () => undefined } });
    expect(ran).toBe(0);
    expect(String(failure)).toContain('description of interruptOn of the tool "pay" must return a text');
  });

  it.each([
    ["no time", {}, /timeout.after/u],
    ["misspelt", { after: 5, polcy: { type: "approve" } }, /timeout has no option "polcy".*"policy"/u],
    ["a time by another name", { afer: 5 }, /timeout has no option "afer".*"after"/u],
    ["a list", [], /timeout takes an object/u],
    ["a policy's name", { after: 5, policy: "approve" }, /timeout.policy takes an object/u],
    ["no policy", { after: 5, policy: {} }, /timeout.policy is no policy/u],
    [
      "a policy that is misspelt",
      { after: 5, policy: { type: "reject", mesage: "no" } },
      /timeout.policy has no option "mesage".*"message"/u,
    ],
  ])("a timeout is refused: %s", (_name, timeout, words) => {
    expect(make({ interruptOn: "all", timeout })).toThrowError(invalid(words));
  });
});
