import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { MemorySaver } from "../src/memory/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { at, checkpoint } from "./support/puts.ts";

const meta = (step: number) => ({ source: "loop" as const, step, parents: {} });

describe.each(ALL_SAVERS)("an export that is read while its thread goes on: $name", (kind) => {
  const message = new HumanMessage({ id: "m", content: "long ".repeat(100) });
  /** Consumes an input that is stored whole: its message becomes an item. */
  const consume = (saver: Saver) =>
    saver.put(at("1"), checkpoint("2", { messages: [message] }, 2), meta(2), { input: 2, messages: 2 });

  it.each([
    ["behind its first line", 1],
    ["behind its first checkpoint", 3],
    ["behind the name of its values", 4],
    ["behind its first value", 5],
  ])("can be imported, when a step is stored %s (F5)", async (_, after) => {
    const { saver, reopen, close } = kind.open();
    await saver.put(at(), checkpoint("1", { input: { messages: [message] } }), meta(1), { input: 1 });
    const lines: string[] = [];
    for await (const line of reopen().exportThread("t")) {
      lines.push(line);
      if (lines.length === after) await consume(saver);
    }
    const imported = new MemorySaver();
    await imported.importThread(lines);
    const first = await imported.getTuple(at("1"));
    expect(first?.checkpoint.channel_values["input"]).toEqual({ messages: [message] });
    await close();
  });
});
