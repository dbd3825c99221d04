import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "./folder.ts";
import { skein } from "./skein.ts";

const DATA = resolve(process.env["SKEIN_DATA"] ?? join(import.meta.dirname, "../../../../shared/data"));
const SETS = { bfcl_memory: 323, kdconv_zh: 2_594, taskmaster4: 4_955, tau_airline: 1_822 };
const SMALL = ["--window", "6", "--trigger", "8"];

it("a maximum of 4,000 tokens holds with the system prompts and tools of real threads", async () => {
  for (const options of [[], ["--join"]]) {
    const file = join(DATA, "tau_airline.jsonl");
    const args = ["replay", file, "--json", "--preset", "thresholds", ...options];
    const { code, json } = await skein(args, { cwd: makeFolder() });
    expect(code).toBe(0);
    const { largestContext, overBudget, unsaid } = json.at(-1) as Record<string, number>;
    console.log(`thresholds, tau_airline ${options.join("")}: largest context ${largestContext}`);
    expect([(largestContext as number) <= 4_000, overBudget, unsaid]).toEqual([true, 0, 0]);
  }
});

describe.each(Object.entries(SETS))("%s through graph, summarization and database", (name, messages) => {
  it.each([[[]], [["--join"]], [SMALL], [["--join", ...SMALL]]])("%j", async (options) => {
    const { code, json, stderr } = await skein(
      ["replay", join(DATA, `${name}.jsonl`), "--json", ...options],
      { cwd: makeFolder() },
    );
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/Warning|skein:/)]);
    expect(json.filter((report) => report["ok"] !== true)).toEqual([]);
    expect(json.at(-1)).toMatchObject({
      type: "total",
      messagesIn: messages,
      equal: true,
      orphans: 0,
      uncovered: 0,
      unsendable: 0,
    });
  });
});
