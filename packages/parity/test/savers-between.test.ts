import type { RunnableConfig } from "@langchain/core/runnables";
import { type BaseCheckpointSaver, MemorySaver as PlainMemorySaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { describe, expect, it } from "vitest";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";
import { type Engine, oracle, ours } from "../src/engines.ts";
import { leaves, thread, trailState } from "../src/scenarios/kit.ts";

type Method = (config: RunnableConfig | undefined, ...rest: unknown[]) => unknown;
type Between = (saver: BaseCheckpointSaver) => BaseCheckpointSaver;

/** A method that is given threads of the tenant that the config names. */
function ofTenant(saver: BaseCheckpointSaver, method: Method): Method {
  return (config, ...rest) => {
    const { thread_id: id, tenant } = config?.configurable ?? {};
    // not every method takes a config, and LangGraph hands on those that a saver returned
    if (typeof id !== "string" || id.includes("/")) return method.call(saver, config, ...rest);
    const configurable = { ...config?.configurable, thread_id: `${String(tenant)}/${String(id)}` };
    return method.call(saver, { ...config, configurable }, ...rest);
  };
}

const CALLS: ReadonlySet<PropertyKey> = new Set(["getTuple", "put", "putWrites"]);
const isMethod = (member: unknown): member is Method => typeof member === "function";

const ways: Readonly<Record<string, Between>> = {
  "a proxy that wraps every method of its target": (saver) =>
    new Proxy(saver, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        return isMethod(member) ? ofTenant(target, member) : member;
      },
    }),
  "a proxy that asks as the receiver": (saver) =>
    new Proxy(saver, {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver);
        return isMethod(member) ? ofTenant(target, member) : member;
      },
    }),
  "a proxy that wraps what the contract calls and binds the rest": (saver) =>
    new Proxy(saver, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (!isMethod(member)) return member;
        return CALLS.has(name) ? ofTenant(target, member) : member.bind(target);
      },
    }),
  "an object that inherits from it": (saver) => {
    const { getTuple, put, putWrites } = saver as unknown as Record<string, Method>;
    const changed = Object.entries({ getTuple, put, putWrites }).map(([name, method]) => [
      name,
      ofTenant(saver, method as Method),
    ]);
    return Object.assign(Object.create(saver) as BaseCheckpointSaver, Object.fromEntries(changed));
  },
  "methods that were replaced": (saver) => {
    for (const name of ["getTuple", "put", "putWrites"] as const) {
      const method = ofTenant(saver, saver[name] as unknown as Method);
      Object.assign(saver, { [name]: method });
    }
    return saver;
  },
};

const savers: Readonly<
  Record<string, () => { readonly saver: BaseCheckpointSaver; close?: () => Promise<void> }>
> = {
  "LangGraph's memory": () => ({ saver: new PlainMemorySaver() }),
  memory: () => ({ saver: new MemorySaver() }),
  SQLite: () => {
    const saver = SqliteSaver.fromConnString(":memory:");
    return { saver, close: () => saver.close() };
  },
  PostgreSQL: openPostgres,
};

/** Two tenants whose threads have one id. */
async function twoTenants({ lg }: Engine, saver: BaseCheckpointSaver): Promise<unknown[]> {
  const graph = new lg.StateGraph(trailState(lg))
    .addNode("a", leaves("a"))
    .addEdge(lg.START, "a")
    .compile({ checkpointer: saver });
  const seen: unknown[] = [];
  for (const tenant of ["A", "B"]) {
    const config = thread("1", { tenant });
    await graph.invoke({ trail: [tenant] }, config);
    await graph.invoke({ trail: ["more"] }, config);
    seen.push((await graph.getState(config)).values);
  }
  return seen;
}

describe("who stands between a graph and its saver is asked, as LangGraph asks", () => {
  const cases = Object.keys(savers).flatMap((saver) => Object.keys(ways).map((way) => [saver, way] as const));
  it.each(cases)("%s: %s", async (name, way) => {
    for (const engine of [oracle, ours]) {
      const opened = savers[name]!();
      const seen = await twoTenants(engine, ways[way]!(opened.saver));
      expect(seen.map((values) => (values as { trail: string[] }).trail)).toEqual([
        ["A", "a", "more", "a"],
        ["B", "a", "more", "a"],
      ]);
      await opened.close?.();
    }
  });
});
