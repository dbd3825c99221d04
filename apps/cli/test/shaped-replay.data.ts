import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { joinRecordings, readRecordings } from "../src/replay/read-recordings.ts";
import { holds, recordingOf, SHAPES } from "./shaped-replay.ts";

const DATA = resolve(process.env["SKEIN_DATA"] ?? join(import.meta.dirname, "../../../../shared/data"));
const SETS = ["bfcl_memory", "kdconv_zh", "taskmaster4", "tau_airline"];

describe.each(SETS)("every prefix of every thread of %s, and of all joined into one (9)", (set) => {
  it.each(Object.keys(SHAPES))("%s", async (shape) => {
    const threads = await readRecordings(join(DATA, `${set}.jsonl`));
    const joined = joinRecordings(threads, set);
    let shaped = 0;
    for (const { messages } of [...threads, joined]) {
      const { compactions, shortened } = await holds(
        () => recordingOf(messages),
        shape,
        messages === joined.messages,
      );
      shaped += compactions + shortened.compression + shortened.fitted;
    }
    expect(shaped).toBeGreaterThan(0);
  });
});
