import { readFileSync } from "node:fs";
import path from "node:path";
import { fromJsonLines } from "@skein/context";
import { describe, expect, it } from "vitest";
import { CONFIGURATIONS, wrongWith } from "./restoring.ts";

const FOLDER = process.env["SKEIN_DATA"] ?? path.resolve(import.meta.dirname, "../../../../shared/data");
const NAMES = Object.keys(CONFIGURATIONS);

describe.each(["tau_airline", "taskmaster4", "bfcl_memory", "kdconv_zh"])("%s (B6)", (name) => {
  it("taken up with another configuration every few messages: covered or sent, the history whole", async () => {
    const threads = fromJsonLines(readFileSync(path.join(FOLDER, `${name}.jsonl`), "utf8"));
    let changes = 0;
    for (const [at, { id, messages }] of threads.entries()) {
      for (const [place, message] of messages.entries()) message.id = `${id}:${place}`;
      const size = 3 + (at % 5);
      const stretches = Array.from({ length: Math.ceil(messages.length / size) }, (_, n) => ({
        configuration: NAMES[(at + n) % NAMES.length] as string,
        messages: messages.slice(n * size, (n + 1) * size),
      }));
      expect(await wrongWith(stretches)).toEqual([]);
      changes += Math.max(0, stretches.length - 1);
    }
    console.log(`${name}: ${threads.length} threads, ${changes} changes of configuration`);
  });
});
