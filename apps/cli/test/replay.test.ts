import { describe, expect, it } from "vitest";
import { makeFolder } from "./folder.ts";
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
      const { code, json, stderr } = await skein(["replay", "odd.jsonl", "--json", ...options], { cwd });
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

it("a view by run loops leaves out what recall finds: the history is whole, no orphan is sent", async () => {
  const cwd = makeFolder({ "odd.jsonl": oddRecordings() });
  const { code, json } = await skein(["replay", "odd.jsonl", "--json", "--join", "--preset", "run-loops"], {
    cwd,
  });
  expect(code).toBe(0);
  expect(json.at(-1)).toMatchObject({ type: "total", equal: true, orphans: 0 });
});
