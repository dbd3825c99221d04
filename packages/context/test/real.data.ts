import { readFileSync } from "node:fs";
import path from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import {
  compactionPolicy,
  countOrphans,
  createTokenCounter,
  estimateTokens,
  fromRecorded,
  loadTiktoken,
  repair,
  textOf,
  toRecorded,
  type CompactionOptions,
  type RecordedThread,
} from "../src/index.ts";
import { drive } from "./drive.ts";

const FOLDER = process.env["SKEIN_DATA"] ?? path.resolve(import.meta.dirname, "../../../../shared/data");
const SETS = ["tau_airline", "taskmaster4", "bfcl_memory", "kdconv_zh"] as const;

function linesOf(name: string): string[] {
  return readFileSync(path.join(FOLDER, `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

function threadsOf(name: string): RecordedThread[] {
  return linesOf(name).map((line, index) => {
    const thread = fromRecorded(line, { line: index + 1 });
    for (const [at, message] of thread.messages.entries()) message.id = `${thread.id}:${at}`;
    return thread;
  });
}

const OPTIONS: Readonly<Record<string, CompactionOptions>> = {
  "window 6, trigger 8": { trigger: { messages: 8 }, keep: { messages: 6 } },
  "trigger 1,200 tokens": { trigger: { tokens: 1200 }, keep: { messages: 20 } },
  "2,000 down to 1,200 tokens": { trigger: { tokens: 2000 }, target: { tokens: 1200 } },
};

describe.each(SETS)("%s", (name) => {
  const threads = threadsOf(name);

  it("is read and written back without loss (B8)", () => {
    for (const line of linesOf(name)) {
      const { messages } = JSON.parse(line) as { messages: unknown[] };
      expect(fromRecorded(line).messages.map(toRecorded)).toEqual(messages);
    }
  });

  it("every prefix can be made valid, twice is once", () => {
    for (const { messages } of threads) {
      for (let length = 0; length <= messages.length; length++) {
        const once = repair(messages.slice(0, length)).messages;
        expect(countOrphans(once)).toBe(0);
        expect(repair(once).messages).toBe(once);
      }
    }
  });

  it.each(Object.keys(OPTIONS))(
    "%s: each thread and all joined into one lose nothing and make no orphan",
    (key) => {
      const options = OPTIONS[key] as CompactionOptions;
      const joined = threads.flatMap(({ messages }) => messages);
      const counter = createTokenCounter();
      let compactions = 0;
      for (const messages of [...threads.map((thread) => thread.messages), joined]) {
        const run = drive(messages, compactionPolicy({ ...options, counter, now: () => 0 }));
        expect(run.lost).toEqual([]);
        expect(run.orphansMade).toEqual([]);
        expect(run.invalidPrompts).toBe(0);
        expect(run.notSmaller).toBe(0);
        compactions += run.compactions;
        if (messages !== joined) continue;
        expect(run.compactions).toBeGreaterThan(10);
        console.log(
          `${name}, joined, ${key}: ${messages.length} messages, ${run.compactions} compactions, ` +
            `largest prompt ${run.largest} of ${counter.messages(messages)} tokens`,
        );
      }
      expect(compactions).toBeGreaterThan(0);
    },
  );

  it("the estimate is within 10 % of o200k_base over all texts of a role (C10)", async () => {
    const { count } = await loadTiktoken();
    const sums = new Map<string, { exact: number; estimate: number; off: number }>();
    const add = (kind: string, text: string): void => {
      const sum = sums.get(kind) ?? { exact: 0, estimate: 0, off: 0 };
      const [exact, estimate] = [count(text), estimateTokens(text)];
      sums.set(kind, {
        exact: sum.exact + exact,
        estimate: sum.estimate + estimate,
        off: sum.off + Math.abs(exact - estimate),
      });
    };
    for (const message of threads.flatMap((thread): BaseMessage[] => thread.messages)) {
      add(message.type, textOf(message));
      for (const call of (message as { tool_calls?: { args: unknown }[] }).tool_calls ?? []) {
        add("arguments", JSON.stringify(call.args));
      }
    }
    for (const [kind, { exact, estimate, off }] of sums) {
      const error = estimate / exact - 1;
      console.log(
        `${name} ${kind}: ${exact} tokens, error of the sum ${percent(error)}, of a text ${percent(off / exact)}`,
      );
      expect(Math.abs(error)).toBeLessThan(0.1);
    }
  });
});

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
