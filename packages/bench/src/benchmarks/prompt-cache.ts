import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Benchmark, figureOf, type Measured, type Row } from "../benchmark.ts";

const FOLDER = process.env["SKEIN_DATA"] ?? join(import.meta.dirname, "../../../../../shared/data");
const SETS = ["tau_airline", "taskmaster4", "kdconv_zh"] as const;
const MAXIMUM = 8_000;

/** What a provider's prompt cache can keep from one call to the next, under one maximum for all. */
export const promptCache: Benchmark = {
  name: "prompt-cache",
  about:
    "real threads joined into one, prompts of at most 8,000 tokens: unchanged prefix, tokens sent, coverage",
  async run({ sides, scale }) {
    const rows: Row[] = [];
    for (const set of SETS) {
      const file = join(FOLDER, `${set}.jsonl`);
      if (!existsSync(file))
        throw new Error(`there is no ${file}; set SKEIN_DATA to the folder of the data sets`);
      const params = { file, maximum: MAXIMUM, messages: scale.quick ? 600 : 1_800 };
      const measured = await sides("promptCache", params, { rounds: 1 });
      const note =
        "the peer is langchain's summarizationMiddleware (trigger in tokens, 20 messages stay), the floor a plain window over the newest messages; extracts instead of a model's summaries";
      const largest = figureOf(measured, "largest");
      rows.push(
        {
          name: `${set}: prompt that is an unchanged prefix`,
          unit: "%",
          larger: true,
          ...figureOf(measured, "unchanged"),
          aim: 90,
          budget: 90,
          note,
        },
        { name: `${set}: tokens sent`, unit: "k", ...thousands(figureOf(measured, "sent")) },
        { name: `${set}: largest prompt`, unit: "tokens", ...largest, budget: MAXIMUM },
        {
          name: `${set}: messages in the window or covered`,
          unit: "%",
          larger: true,
          ...figureOf(measured, "coverage"),
          budget: 100,
        },
        {
          name: `${set}: unchanged prefix under the preset run-loops`,
          unit: "%",
          larger: true,
          skein: skeins(measured, "loopsUnchanged"),
          note: `no budget: past turns are shown shorter with every turn, and what they say is recalled; ${(skeins(measured, "loopsSent") / 1_000).toFixed(0)} k tokens sent`,
        },
      );
    }
    return rows;
  },
};

const skeins = (measured: Measured, name: string): number => figureOf(measured, name).skein ?? Number.NaN;

function thousands<Sides extends { [side: string]: number | undefined }>(sides: Sides): Sides {
  const entries = Object.entries(sides).map(([side, value]) => [side, (value ?? Number.NaN) / 1_000]);
  return Object.fromEntries(entries) as Sides;
}
