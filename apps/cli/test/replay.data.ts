import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "./folder.ts";
import { skein } from "./skein.ts";

const DATA = resolve(process.env["SKEIN_DATA"] ?? join(import.meta.dirname, "../../../../shared/data"));
const SETS = { bfcl_memory: 323, kdconv_zh: 2_594, taskmaster4: 4_955, tau_airline: 1_822 };
const SMALL = ["--window", "6", "--trigger", "8"];

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
