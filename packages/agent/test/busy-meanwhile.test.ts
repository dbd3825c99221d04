import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import type { OnBusy } from "../src/index.ts";
import { second, seen, slowAgent } from "./busy-runs.ts";
import { deferred } from "./deferred.ts";

const CHANGE_SETS = Symbol.for("skein.changeSets");
const OWN_CONTRACT = Symbol.for("skein.ownContract");
const thread = { configurable: { thread_id: "t" } };
const FIRST = ["human: first", "ai: ", "tool: worked", "ai: first is done"];

interface Claiming {
  open(address: object, options?: { readonly claim?: unknown }): Promise<unknown>;
  release(claim: object): Promise<void>;
}

const bound = <T extends object>(target: T, name: PropertyKey): unknown => {
  const member: unknown = Reflect.get(target, name, target);
  return typeof member === "function" ? member.bind(target) : member;
};

/** The same saver for one of its runs, with something between that run and its claims. */
function between(saver: MemorySaver, change: (real: Claiming) => Partial<Claiming>): BaseCheckpointSaver {
  const real = (saver as unknown as Record<symbol, Claiming>)[CHANGE_SETS] as Claiming;
  const changed: object = { ...change(real) };
  const claiming = new Proxy(real, {
    get: (target, name) => Reflect.get(changed, name) ?? bound(target, name),
  });
  return new Proxy(saver, {
    get: (target, name, receiver: unknown) => {
      // it has change sets of its own: they are not to be passed over
      if (name === OWN_CONTRACT) return receiver;
      return name === CHANGE_SETS ? claiming : bound(target, name);
    },
  });
}

const POLICIES = ["interrupt", "rollback", "cancel-and-heal"] as const;

describe("a run that ends by itself before it is stopped (F6)", () => {
  it.each(POLICIES)("keeps its turn: it ended after the thread was found busy (%s)", async (onBusy) => {
    const saver = new MemorySaver();
    const first = slowAgent(saver);
    const running = first.agent.invoke({ messages: "first" }, thread);
    await first.running;
    let opened = 0;
    const late = between(saver, (real) => ({
      open: async (address, options) => {
        if (options?.claim !== undefined && (opened += 1) === 2) {
          first.letGo();
          await running;
        }
        return real.open(address, options);
      },
    }));
    const { messages } = await second(late, onBusy).invoke({ messages: "second" }, thread);
    expect(opened).toBeGreaterThan(1);
    expect(seen(messages)).toEqual([...FIRST, "human: second", "ai: second is done"]);
  });

  it("so does the turn before a run that is stopped and has stored nothing yet (rollback)", async () => {
    const saver = new MemorySaver();
    await second(saver, undefined, "earlier").invoke({ messages: "before" }, thread);
    const [opened, gate] = [deferred(), deferred()];
    const slow = between(saver, (real) => ({
      open: async (address, options) => {
        const result = await real.open(address, options);
        opened.resolve();
        await gate.done;
        return result;
      },
    }));
    const running = second(slow).invoke({ messages: "stopped" }, thread);
    running.catch(() => undefined);
    await opened.done;
    const { messages } = await second(saver, "rollback").invoke({ messages: "second" }, thread);
    gate.resolve();
    await expect(running).rejects.toEqual(expect.objectContaining({ code: "THREAD_CONFLICT" }));
    expect(seen(messages)).toEqual(["human: before", "ai: earlier", "human: second", "ai: second is done"]);
  });
});

/** A call that takes the thread from a first one, and a third that comes as soon as the thread is free. */
async function taken(saver: MemorySaver, onBusy: OnBusy) {
  const first = slowAgent(saver);
  const running = first.agent.invoke({ messages: "first" }, thread);
  running.catch(() => undefined);
  await first.running;
  let came = false;
  const taking = between(saver, (real) => ({
    release: async (claim) => {
      await real.release(claim);
      if (came) return;
      came = true;
      await second(saver, undefined, "third is done").invoke({ messages: "third" }, thread);
    },
  }));
  const { messages } = await second(taking, onBusy).invoke({ messages: "second" }, thread);
  first.letGo();
  await expect(running).rejects.toEqual(expect.objectContaining({ code: "THREAD_CONFLICT" }));
  return seen(messages);
}

const THIRD_AND_SECOND = ["human: third", "ai: third is done", "human: second", "ai: second is done"];

describe("a third call that finds the thread free while it is taken (F6)", () => {
  it("finds no call left open: they are answered before anybody may have the thread (cancel-and-heal)", async () => {
    const messages = await taken(new MemorySaver(), "cancel-and-heal");
    expect(messages).toEqual(["human: first", "ai: ", "tool: Cancelled", ...THIRD_AND_SECOND]);
  });

  it("begins where the second one will (rollback): nothing of the first is left, and its own turn stays", async () => {
    const saver = new MemorySaver();
    await second(saver, undefined, "earlier").invoke({ messages: "before" }, thread);
    const messages = await taken(saver, "rollback");
    expect(messages).toEqual(["human: before", "ai: earlier", ...THIRD_AND_SECOND]);
    const texts: string[] = [];
    const { agent } = slowAgent(saver);
    for await (const { values } of agent.getStateHistory(thread)) texts.push(...seen(values.messages ?? []));
    expect(texts).not.toContain("human: first");
  });
});
