import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const schema = z.object({});
const hang = tool(() => new Promise<string>(() => undefined), { name: "hang", description: "", schema });

const SAVERS = {
  memory: () => new MemorySaver(),
  SQLite: () => SqliteSaver.fromConnString(":memory:"),
};

/** An agent that calls `pay` and, if it is to hang, a tool that never ends. */
function paying(saver: keyof typeof SAVERS, hangs: boolean, onStop: "heal" | "leave" = "heal") {
  const ran: string[] = [];
  const pay = tool(() => (ran.push("pay"), "paid"), { name: "pay", description: "", schema });
  const called: Parameters<typeof calls> = hangs ? [["pay"], ["hang"]] : [["pay"]];
  const model = new ScriptedModel(calls(...called), "Done.", "Done.");
  const agent = createAgent({ model, tools: [pay, hang], checkpointer: SAVERS[saver](), onStop });
  const results = async () => {
    const { values } = await agent.getState(thread);
    const messages: BaseMessage[] = values.full_messages;
    return messages.filter((one) => ToolMessage.isInstance(one)).map(({ text }) => text.split(":")[0]);
  };
  return { agent, ran, results };
}

const shows = (chunk: unknown): boolean => JSON.stringify(chunk).includes('"paid"');

describe("a result that a reader has seen is kept (E10)", () => {
  const cases = (["memory", "SQLite"] as const).flatMap((saver) =>
    [false, true].flatMap((hangs) =>
      (["messages", "updates", "values", "tasks", "debug"] as const)
        // which shows nothing before all calls have ended
        .filter((mode) => mode !== "values" || !hangs)
        .map((mode) => ({ saver, hangs, mode })),
    ),
  );

  it.each(cases)(
    "when the reader leaves: $mode, $saver, another call hangs: $hangs",
    async (given) => {
      const { agent, ran, results } = paying(given.saver, given.hangs);
      for await (const chunk of await agent.stream(
        { messages: "x" },
        { ...thread, streamMode: given.mode },
      )) {
        if (shows(chunk)) break;
      }
      expect(ran).toEqual(["pay"]);
      expect((await results())[0]).toBe("paid");
    },
    5_000,
  );

  it.each(["memory", "SQLite"] as const)("when the call is aborted: %s", async (saver) => {
    const { agent, results } = paying(saver, true);
    const stop = new AbortController();
    const options = { ...thread, streamMode: "messages" as const, signal: stop.signal };
    const read = async () => {
      for await (const chunk of await agent.stream({ messages: "x" }, options))
        if (shows(chunk)) stop.abort();
    };
    await expect(read()).rejects.toThrow(/abort/iu);
    expect(await results()).toEqual(["paid", "Cancelled"]);
  });

  it.each(["memory", "SQLite"] as const)(
    "when it is read as events, and its tool is not run again: %s",
    async (saver) => {
      const { agent, ran, results } = paying(saver, false, "leave");
      for await (const { event } of agent.streamEvents({ messages: "x" }, { ...thread, version: "v2" })) {
        if (event === "on_tool_end") break;
      }
      await agent.invoke(null, thread);
      expect([ran, await results()]).toEqual([["pay"], ["paid"]]);
    },
  );
});
