import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Row } from "../src/benchmark.ts";
import { table } from "../src/report.ts";
import { PacedSamples, paceSeen } from "../src/pace.ts";
import { lastOf, meanOf, median, sample } from "../src/stats.ts";
import { watchStolen } from "../src/stolen.ts";

const packageRoot = fileURLToPath(new URL("..", import.meta.url));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function bench(...args: string[]): Promise<Outcome> {
  const command = ["--import", "tsx", "--conditions=@skein/source", "src/main.ts", ...args];
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: packageRoot });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Outcome;
    return { code, stdout, stderr };
  }
}

describe("the command", () => {
  it("measures all three sides in one run and prints JSON that names machine and versions", async () => {
    const { code, stdout } = await bench("--", "--quick", "--source", "--json", "--only", "add-messages");
    const report = JSON.parse(stdout) as {
      machine: { versions: Record<string, string> };
      pace: Record<string, { aside: number; slow: number }>;
      rows: Row[];
    };
    expect(code).toBe(0);
    expect(report.machine.versions["@langchain/langgraph"]).toBe("1.4.18");
    expect(report.pace["add-messages"]?.aside).toBeLessThanOrEqual(1);
    for (const side of ["skein", "langgraph", "floor"] as const) {
      expect(report.rows[0]?.[side]).toBeGreaterThan(0);
    }
  }, 240_000);

  it("says how it is used, and refuses what it does not know with exit code 2", async () => {
    expect(await bench("--help")).toMatchObject({ code: 0, stdout: expect.stringContaining("--check") });
    const unknown = await bench("--only", "nothing");
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain('no benchmark "nothing"');
    expect((await bench("--fast")).code).toBe(2);
  });
});

describe("what the host gave to others", () => {
  it("is a share of the time that was asked for, or unknown where the system does not say", () => {
    const share = watchStolen();
    for (const until = performance.now() + 50; performance.now() < until;);
    const stolen = share();
    expect(stolen === undefined).toBe(process.platform !== "linux");
    expect(stolen ?? 0).toBeGreaterThanOrEqual(0);
    expect(stolen ?? 0).toBeLessThanOrEqual(1);
  });
});

describe("samples and the pace of the core", () => {
  it("are as many as were wanted or more, those of a slow core aside", async () => {
    const before = paceSeen();
    let calls = 0;
    const samples = await sample(5, 3, () => (calls += 1), { least: 0 });
    const { counted, aside, mixed } = paceSeen();
    const taken = counted + aside - before.counted - before.aside;
    expect(samples.length).toBe(mixed > before.mixed ? taken : counted - before.counted);
    expect(taken).toBeGreaterThanOrEqual(5);
    expect(calls).toBe(taken + 3);
  });

  it("are of the last calls where these cannot be made again, each of which is made once", async () => {
    const made: number[] = [];
    const samples = await lastOf(40, 10, (call) => Promise.resolve(made.push(call)));
    expect(made).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    expect(samples.all).toEqual(made.slice(30));
    expect(samples.quick.length).toBeGreaterThan(0);
    expect(samples.all).toEqual(expect.arrayContaining([...samples.quick]));
  });

  it("of the last calls, long ones count as often as they were made, and usual ones as the core was quick", () => {
    const all = [1, 1, 1, 1, 1.6, 1.6, 1.6, 1.6, 1.6, 20];
    expect(meanOf({ quick: [1, 1, 1, 1], all })).toBeCloseTo(0.9 + 2);
    expect(meanOf({ quick: [1, 1, 20], all })).toBeCloseTo(0.9 + 2);
    expect(meanOf({ quick: [2, 4], all: [2, 4] })).toBe(3);
  });

  it("are all taken where none was quick", () => {
    const { mixed } = paceSeen();
    const samples = new PacedSamples(() => false);
    samples.add(1);
    samples.add(2);
    expect(samples.take()).toEqual([1, 2]);
    expect(paceSeen().mixed).toBe(mixed + 1);
    expect(new PacedSamples().take()).toEqual([]);
  });
});

describe("the table", () => {
  const row: Row = { name: "a row", unit: "us", skein: 4, langgraph: 100, floor: 1, budget: 10 };

  it("shows how many times better we are, and by which direction", () => {
    expect(table([row])).toContain("25.0x");
    expect(table([{ ...row, larger: true, skein: 300 }])).toContain("3.00x");
  });

  it("says how far the aim is, with the budget or without", () => {
    expect(table([{ ...row, aim: 2 }])).toContain("within budget; aim 2.00x away");
    expect(table([{ ...row, aim: 4 }])).toContain("within budget; aim reached");
    expect(table([{ ...row, skein: 25, aim: 5 }])).toContain("over budget (2.50x); aim 5.00x away");
    expect(table([{ ...row, larger: true, skein: 20, aim: 50 }])).toContain("within budget; aim 2.50x away");
    expect(table([row])).not.toMatch(/aim .*(reached|away)/);
  });

  it("tells a budget that is kept from one that is not", () => {
    expect(table([row])).toContain("within budget");
    expect(table([{ ...row, skein: 25 }])).toContain("over budget (2.50x)");
    expect(table([{ ...row, larger: true, skein: 5 }])).toContain("over budget (2.00x)");
    const slower = { ...row, skein: 25, langgraph: 100, langgraphThen: 50 };
    expect(table([slower])).toContain(
      "2.50x; LangGraph takes 2.00x its time of then, at its pace this is 1.25x",
    );
    const fewer: Row = { ...slower, larger: true, skein: 5, langgraph: 50, langgraphThen: 100 };
    expect(table([fewer])).toContain(
      "2.00x; LangGraph takes 2.00x its time of then, at its pace this is 1.00x",
    );
  });

  it("marks what must hold", () => {
    expect(table([{ ...row, must: { text: "at most 5", holds: true } }])).toContain("PASS at most 5");
    expect(table([{ ...row, must: { text: "at most 3", holds: false } }])).toContain("FAIL at most 3");
  });

  it("leaves a cell empty for what was not run", () => {
    expect(table([{ name: "alone", unit: "us", skein: 1 }])).not.toContain("NaN");
  });
});

describe("median", () => {
  it("is the middle of an odd number, the mean of the two middle ones of an even number", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([])).toBeNaN();
  });
});
