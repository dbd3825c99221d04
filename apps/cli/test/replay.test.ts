import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TotalReport } from "../src/replay/report.ts";
import { makeFolder } from "./folder.ts";
import { inside } from "./inside.ts";
import { ODD, oddRecordings } from "./recordings.ts";
import { skein } from "./skein.ts";

describe("replaying recordings of every odd shape", () => {
  it.each([
    [["--window", "6", "--trigger", "8"]],
    [["--join", "--window", "6", "--trigger", "8"]],
    [["--preset", "watermarks"]],
    [["--join", "--preset", "sliding-window"]],
    [["--preset", "none"]],
  ])(
    "%j: the full track equals the recording, no orphan is sent, nothing is forgotten",
    { timeout: 60_000 },
    async (options) => {
      const cwd = makeFolder({ "odd.jsonl": oddRecordings() });
      const { code, json, stderr } = await inside(["replay", "odd.jsonl", "--json", ...options], { cwd });
      expect([code, stderr]).toEqual([0, expect.not.stringMatching(/Warning|skein:/)]);
      const broken = json.filter((report) => report["ok"] !== true);
      expect(broken).toEqual([]);
      expect(json.at(-1)).toMatchObject({ type: "total", equal: true, orphans: 0, uncovered: 0 });
      expect(json.length).toBe(options.includes("--join") ? 2 : Object.keys(ODD).length + 2);
    },
  );

  it(
    "plays the same file again under new ids, and the threads can be shown",
    { timeout: 60_000 },
    async () => {
      const cwd = makeFolder({
        "a.jsonl":
          '{"id":"a","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}\n',
      });
      await skein(["replay", "a.jsonl"], { cwd });
      const again = await skein(["replay", "a.jsonl"], { cwd });
      expect(again.stdout).toContain("a.2");
      expect((await skein(["show", "a"], { cwd })).stdout).toMatch(/1 user: hi/);
    },
  );
});

it("says what was done to the contexts, and holds a maximum with system prompt and tools", async () => {
  const outputs = Array.from({ length: 12 }, (_, turn) => [
    { role: "user", content: `Where is parcel ${turn}?` },
    { role: "assistant", content: null, tool_calls: [{ id: `c${turn}`, name: "track", args: { turn } }] },
    {
      role: "tool",
      tool_call_id: `c${turn}`,
      content: `row ${turn} left the depot\n`.repeat(turn === 11 ? 900 : 90),
    },
    { role: "assistant", content: "It left the depot." },
  ]).flat();
  const system = { role: "system", content: "Policy: parcels leave the depot in the morning. ".repeat(90) };
  const cwd = makeFolder({ "a.jsonl": `${JSON.stringify({ id: "a", messages: [system, ...outputs] })}\n` });
  const [file, db] = [join(cwd, "a.jsonl"), join(cwd, "skein.db")];
  const played = async (...options: string[]) => {
    const { code, json } = await inside(["replay", file, "--db", db, "--json", ...options]);
    expect(code).toBe(0);
    return json.at(-1) as unknown as TotalReport;
  };
  const thresholds = await played("--preset", "thresholds");
  expect(thresholds.largestContext).toBeLessThanOrEqual(4_000);
  expect(thresholds).toMatchObject({ overBudget: 0, unsaid: 0, version: thresholds.compactions });
  expect(thresholds.shortened.fitted).toBeGreaterThan(0);
  expect(thresholds.recallable).toBeGreaterThan(9);
  expect((await played("--preset", "none", "--offload", "300")).shortened.offloading).toBe(12);
  expect((await played("--preset", "none", "--clear", "3000")).shortened.clearing).toBeGreaterThan(5);
  expect((await played("--preset", "run-loops")).loops).toMatchObject({ condensed: 11, omitted: 1 });
  const { stdout } = await inside(["replay", file, "--db", db, "--preset", "watermarks"]);
  expect(stdout).toMatch(/tool outputs compressed: \d+/u);
});

it("a view by run loops leaves out what recall finds: the history is whole, no orphan is sent", async () => {
  const cwd = makeFolder({ "odd.jsonl": oddRecordings() });
  const { code, json } = await inside(["replay", "odd.jsonl", "--json", "--join", "--preset", "run-loops"], {
    cwd,
  });
  expect(code).toBe(0);
  expect(json.at(-1)).toMatchObject({ type: "total", equal: true, orphans: 0 });
});
