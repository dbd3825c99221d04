import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Command, MessagesValue, START, StateGraph, StateSchema } from "@skein/graph";
import { afterAll, describe, expect, it } from "vitest";
import {
  humanInTheLoopMiddleware,
  type Decision,
  type HITLRequest,
  type HumanInTheLoopOptions,
  type InterruptOn,
} from "../src/human-approval/index.ts";
import { call, inLines, onThread, recorded, saying, says, type Call } from "./replies.ts";

const folder = mkdtempSync(join(tmpdir(), "skein-asked-"));
afterAll(() => rmSync(folder, { recursive: true }));

const both = [call("pay", { sum: 7 }, "c1"), call("mail", { to: "ann" }, "c2")];
const approve: Decision = { type: "approve" };
const reject: Decision = { type: "reject", message: "No!" };
const answer = (...decisions: Decision[]) => new Command({ resume: { decisions } });

/** Agents on one thread, each as after a new start of the program, with rules of its own. */
function setup(calls: readonly Call[] = both, given?: () => SqliteSaver) {
  const saver = new MemorySaver();
  const saverNow = given ?? (() => saver);
  const [pay, mail] = [recorded("pay"), recorded("mail")];
  const model = saying(calls, "done");
  const run = (interruptOn: InterruptOn, input: object | null, more: HumanInTheLoopOptions = {}) =>
    createAgent({
      model,
      tools: [pay, mail],
      checkpointer: saverNow(),
      middleware: [humanInTheLoopMiddleware({ ...more, interruptOn })],
    }).invoke(input as never, onThread("t"));
  return {
    run,
    model,
    ran: () => [pay.calls.length, mail.calls.length],
    args: () => [pay.calls, mail.calls],
  };
}

const questionOf = (result: object): HITLRequest | undefined =>
  (result as { __interrupt__?: readonly { value?: unknown }[] }).__interrupt__?.[0]?.value as HITLRequest;
const askedAbout = (result: object) => questionOf(result)?.actionRequests.map(({ name }) => name);

describe("what was asked is answered, whatever the rules say by then (E3)", () => {
  it("a rejected call does not run where the context that asked is not given again", async () => {
    const pay = recorded("pay");
    const agent = createAgent({
      model: saying([call("pay")], "done"),
      tools: [pay],
      checkpointer: new MemorySaver(),
      middleware: [humanInTheLoopMiddleware()],
    });
    const context = { interruptOn: { pay: true } };
    expect(askedAbout(await agent.invoke(says("pay"), { ...onThread("t"), context }))).toEqual(["pay"]);
    // nobody answered: it is asked again
    expect(askedAbout(await agent.invoke(null, onThread("t")))).toEqual(["pay"]);
    const { messages } = await agent.invoke(answer(reject), onThread("t"));
    expect(pay.calls).toEqual([]);
    expect(inLines(messages).slice(-2)).toEqual(["tool!: No!", "ai: done"]);
  });

  it("nor where `when` looks at something else than the call", async () => {
    const { run, ran } = setup();
    let isOpen = true;
    const rules: InterruptOn = { pay: { allowedDecisions: ["approve", "reject"], when: () => isOpen } };
    await run(rules, says("go"));
    isOpen = false;
    await run(rules, answer(reject));
    expect(ran()).toEqual([0, 1]);
  });

  it("in another process, whose rules are others", async () => {
    const path = join(folder, "t.db");
    const opened: SqliteSaver[] = [];
    const { run, ran } = setup(both, () => {
      opened.at(-1)?.close();
      const saver = SqliteSaver.fromConnString(path);
      opened.push(saver);
      return saver;
    });
    await run({ pay: true }, says("go"));
    expect(askedAbout(await run("none", null))).toEqual(["pay"]);
    await run("none", answer(reject));
    expect(ran()).toEqual([0, 1]);
    opened.at(-1)?.close();
  });

  it("an approval or an edit is for the call that was shown", async () => {
    const { run, args } = setup();
    await run({ mail: true }, says("go"));
    await run("none", answer({ type: "edit", editedAction: { name: "mail", args: { to: "bob" } } }));
    expect(args()).toEqual([[{ sum: 7 }], [{ to: "bob" }]]);
  });

  it("what is asked about by now is asked beside it: one answer is not taken for another's", async () => {
    const { run, ran } = setup();
    await run({ pay: true }, says("go"));
    const again = await run({ mail: true }, answer(approve));
    expect(askedAbout(again)).toEqual(["pay", "mail"]);
    expect(questionOf(again)?.error).toBe("2 calls wait for a decision and 1 were given.");
    expect(ran()).toEqual([0, 0]);
    await run("none", answer(reject, approve));
    expect(ran()).toEqual([0, 1]);
  });

  it("the person may decide what the question said, and sees it again as it was", async () => {
    const { run, ran } = setup();
    const rule = { allowedDecisions: ["approve", "respond"] as const, description: "Pay 7?" };
    const asked = questionOf(await run({ pay: rule as never }, says("go")));
    const again = questionOf(await run({ pay: true }, answer(reject)));
    expect(again).toEqual({ ...asked, error: expect.stringContaining("approve, respond") });
    await run({ pay: true }, answer({ type: "respond", message: "paid by hand" }));
    expect(ran()).toEqual([0, 1]);
  });

  it("where calls are alike and nobody can tell which was meant, all are asked about", async () => {
    const { run, args } = setup([
      call("pay", { sum: 7 }, "c1"),
      call("pay", { sum: 7 }, "c2"),
      both[1] as Call,
    ]);
    await run(({ toolCall }) => toolCall.id === "c2", says("go"));
    expect(askedAbout(await run("none", answer(reject)))).toEqual(["pay", "pay", "mail"]);
    await run("none", answer(approve, reject, reject));
    expect(args()).toEqual([[{ sum: 7 }], []]);
  });

  it("holds when a call is edited by the command that answers", async () => {
    const { run, model, ran } = setup();
    const waiting = await run({ pay: true }, says("go"));
    const reply = waiting.messages.at(-1);
    const edited = saying([call("pay", { sum: 1 }, "c1"), both[1] as Call], "never");
    const other = await edited.invoke([]);
    other.id = reply?.id as string;
    const input = new Command({ resume: { decisions: [reject] }, update: { messages: [other] } });
    expect(askedAbout(await run("none", input))).toEqual(["pay", "mail"]);
    expect(ran()).toEqual([0, 0]);
    await run("none", answer(reject, approve));
    expect([ran(), model.prompts.length]).toEqual([[0, 1], 2]);
  });

  it("in an agent that is a node of another graph", async () => {
    const pay = recorded("pay");
    const model = saying([call("pay")], "done");
    const graphWith = (interruptOn: InterruptOn, saver: MemorySaver) => {
      const middleware = [humanInTheLoopMiddleware({ interruptOn })];
      const agent = createAgent({ model, tools: [pay], middleware });
      return new StateGraph(new StateSchema({ messages: MessagesValue }))
        .addNode("agent", agent.graph as never)
        .addEdge(START, "agent")
        .compile({ checkpointer: saver });
    };
    const saver = new MemorySaver();
    await graphWith("all", saver).invoke(says("pay"), onThread("t"));
    await graphWith("none", saver).invoke(answer(reject) as never, onThread("t"));
    expect(pay.calls).toEqual([]);
  });
});
