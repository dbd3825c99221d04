import { describe, expect, it } from "vitest";
import { type Engine, type LangGraph, oracle } from "../src/engines.ts";
import { Ids, plain } from "../src/normalise.ts";
import { record, scenario } from "../src/scenario.ts";
import { reducers } from "../src/scenarios/reducers.ts";

const engineWith = (broken: Partial<LangGraph>): Engine => ({
  name: "skein",
  lg: { ...oracle.lg, ...broken },
});

describe("the harness itself", () => {
  it("tells two engines apart when one merges differently", async () => {
    const inOrder = reducers.find(({ name }) => name.startsWith("A1"));
    if (inOrder === undefined) throw new Error("no scenario");
    class Backwards extends oracle.lg.StateGraph<never> {
      override addNode(...args: unknown[]): never {
        const [name, node] = args as [string, () => { trail: string[] }];
        return super.addNode(name as never, (() => ({ ...node(), trail: ["other"] })) as never) as never;
      }
    }
    const broken = engineWith({ StateGraph: Backwards as never });
    expect(await record(inOrder, broken)).not.toEqual(await record(inOrder, oracle));
  });

  it("fails a scenario in which a call fails unexpectedly, and one in which nothing fails", async () => {
    const failing = scenario("fails", async (_lg, t) => {
      await t.invoke(
        { invoke: () => Promise.reject(new Error("no")), stream: () => Promise.reject(new Error("no")) },
        {},
      );
    });
    await expect(record(failing, oracle)).rejects.toThrow("no");
    const succeeding = scenario("succeeds", async (_lg, t) => void (await t.fails(() => 1)));
    await expect(record(succeeding, oracle)).rejects.toThrow("nothing failed");
  });

  it("fails a scenario that looks at nothing", async () => {
    await expect(
      record(
        scenario("blind", async () => {}),
        oracle,
      ),
    ).rejects.toThrow("looked at nothing");
  });

  it("renames ids by first appearance, so that equal ids stay equal and different ones different", () => {
    const a = "0f0e0d0c-0000-4000-8000-000000000001";
    const b = "0f0e0d0c-0000-4000-8000-000000000002";
    expect(new Ids().rename(plain([a, `ns:${b}`, { [a]: b }]))).toEqual([
      "<id 1>",
      "ns:<id 2>",
      { "<id 1>": "<id 2>" },
    ]);
    expect(new Ids().rename([a, b])).not.toEqual(new Ids().rename([a, a]));
  });

  it("keeps apart what JSON would not", () => {
    expect(plain(Number.NaN)).not.toEqual(plain(null));
    expect(plain(new Error("user: x"))).not.toEqual(plain(new Error("user: y")));
    expect(plain(new Map([["a", 1]]))).not.toEqual(plain({ a: 1 }));
    expect(plain({ a: undefined })).toEqual(plain({}));
  });
});
