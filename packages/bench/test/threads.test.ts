import { expect, it } from "vitest";
import type { Context } from "../src/benchmark.ts";
import { postgresThreads, threads } from "../src/benchmarks/threads.ts";

/** Nothing is measured: a floor takes 10 of everything, and all others 20. */
const context: Context = {
  scale: { quick: false, full: false, folder: "unused" },
  sides: () => Promise.reject(new Error("threads measure one side at a time")),
  one: ({ side }) => {
    const time = side === "floor" ? 10 : 20;
    return Promise.resolve({ perTurn: time, meanPerTurn: time, bytesPerTurn: time });
  },
  several: ({ side, params }) => {
    const time = side === "floor" ? 10 : 20;
    return Promise.resolve([{ [String(params["until"])]: time }]);
  },
};

it("what opening a server's database takes comes on top of a budget, and what opening a file takes does not", async () => {
  const rows = [...(await threads.run(context)), ...(await postgresThreads.run(context))];
  const limits = (name: string) => {
    const { budget, aim } = rows.find((row) => row.name === name) ?? {};
    return [budget, aim];
  };
  const ready = "10,000 turns, cold resume, ready (dual track, summarized)";
  expect(limits(ready)).toEqual([15, 6]);
  expect(limits(`PostgreSQL, ${ready}`)).toEqual([25, 16]);
  const all = "10,000 turns, cold resume, all messages (dual track, summarized)";
  expect(limits(all)).toEqual([120, 60]);
  expect(limits(`PostgreSQL, ${all}`)).toEqual([240, 120]);
  expect(limits("10,000 turns, cold resume, ready (MessagesAnnotation)")).toEqual([120, 60]);
  for (const turns of ["2,000", "10,000"]) {
    expect(limits(`${turns} turns, turn at its end, median (MessagesAnnotation)`)).toEqual([1, 0.5]);
    expect(limits(`PostgreSQL, ${turns} turns, stored per turn (MessagesAnnotation)`)).toEqual([3072, 2048]);
  }
  expect(limits("PostgreSQL, 100 turns, stored per turn (MessagesAnnotation)")).toEqual([3072, 2048]);
  // a process is not warm before: the design has no such row
  expect(limits("100 turns, turn at its end, median (MessagesAnnotation)")).toEqual([undefined, undefined]);
});
