import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver as LangGraphSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { type ChangeSetSaver, MemorySaver, migrateThread, OWN_CONTRACT } from "../src/index.ts";
import { at, chat, contents } from "./turns.ts";

type Method = (...args: unknown[]) => unknown;

/** Calls of a saver's methods, with something said of the tenant before the id of the thread. */
function ofTenant(saver: MemorySaver, tenant: string): MemorySaver {
  const prefixed = (config: RunnableConfig): RunnableConfig => {
    const { thread_id: id } = config.configurable ?? {};
    return { ...config, configurable: { ...config.configurable, thread_id: `${tenant}/${String(id)}` } };
  };
  return new Proxy(saver, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (first: unknown, ...rest: unknown[]) => {
        const isConfig = typeof first === "object" && first !== null && "configurable" in first;
        return (member as Method).call(target, isConfig ? prefixed(first as RunnableConfig) : first, ...rest);
      };
    },
  });
}

const own = (saver: ChangeSetSaver): boolean => saver[OWN_CONTRACT] === saver;

describe("a saver says whether somebody stands between it and its callers", () => {
  it("nobody: the saver itself, a subclass that adds a method, an object that inherits from it", () => {
    class Counting extends MemorySaver {
      count = 0;
    }
    const saver = new MemorySaver();
    expect([saver, new Counting(), Object.create(saver) as MemorySaver].map(own)).toEqual([true, true, true]);
  });

  it("a proxy, however it hands on what it does not change", () => {
    const saver = new MemorySaver();
    const bound = new Proxy(saver, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? (member as Method).bind(target) : member;
      },
    });
    const some = new Proxy(saver, {
      get: (target, name, receiver) =>
        name === "put" ? saver.put.bind(saver) : Reflect.get(target, name, receiver),
    });
    const ofCopies = new Proxy(saver, { get: (target, name) => Reflect.get(target, name, target) });
    expect([ofTenant(saver, "a"), bound, some, ofCopies].map(own)).toEqual([false, false, false, false]);
  });

  it("a method that was replaced, in a subclass, on the object or by one that inherits", () => {
    class Encrypting extends MemorySaver {
      override async getTuple(config: RunnableConfig) {
        return super.getTuple(config);
      }
    }
    const spied = new MemorySaver();
    spied.putWrites = spied.putWrites.bind(spied);
    const inherits = Object.create(new MemorySaver(), {
      put: { value: spied.put.bind(spied) },
    }) as MemorySaver;
    expect([new Encrypting(), spied, inherits].map(own)).toEqual([false, false, false]);
  });
});

describe("migrateThread asks who stands before a saver", () => {
  it("for what it reads: the thread of that tenant, and no other's", async () => {
    const saver = new MemorySaver();
    await chat(saver, "t", 1);
    await migrateThread(saver, saver, { threadId: "t", as: "a/t" });
    await saver.deleteThread("t");
    const to = new MemorySaver();
    expect(await migrateThread(ofTenant(saver, "a"), to, { threadId: "t" })).toMatchObject({ of: 2 });
    expect(await contents(to, "t")).toEqual(["question 1", "answer 1"]);
    await expect(migrateThread(ofTenant(saver, "b"), to, { threadId: "t", as: "u" })).rejects.toMatchObject({
      code: "UNKNOWN_THREAD",
    });
  });

  it("for what it stores", async () => {
    const from = new LangGraphSaver();
    const to = new MemorySaver();
    const source = new MemorySaver();
    await chat(source, "t", 1);
    await migrateThread(source, from, { threadId: "t" });
    await migrateThread(from, ofTenant(to, "a"), { threadId: "t" });
    await migrateThread(source, ofTenant(to, "b"), { threadId: "t" });
    expect((await to.listThreads()).map(({ threadId }) => threadId).sort()).toEqual(["a/t", "b/t"]);
    expect((await to.getTuple(at("b/t")))?.checkpoint).toEqual((await to.getTuple(at("a/t")))?.checkpoint);
  });
});
