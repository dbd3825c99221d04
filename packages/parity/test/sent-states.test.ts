import { HumanMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, MemorySaver as Reference } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";
import { call, looking } from "../src/agents/kit.ts";
import { ScriptedModel } from "../src/agents/model.ts";
import { plain } from "../src/normalise.ts";

const thread = { configurable: { thread_id: "t" } };
const TURNS = 6;
const LONG = " word".repeat(80);

/** Turns of two calls, each of which is sent the whole state; what the saver then says of every checkpoint. */
async function talk(checkpointer: BaseCheckpointSaver): Promise<unknown[]> {
  const turns = Array.from({ length: TURNS }, (_, turn) => turn);
  const agent = createAgent({
    model: ScriptedModel.saying(
      ...turns.flatMap((turn) => [
        [call("look", {}, `x${turn}`), call("look", {}, `y${turn}`)],
        `answer ${turn}:${LONG}`,
      ]),
    ),
    tools: [looking("look", () => `looked:${LONG}`)],
    checkpointer,
  });
  for (const turn of turns) {
    const question = new HumanMessage({ id: `q${turn}`, content: `question ${turn}:${LONG}` });
    await agent.invoke({ messages: [question] }, thread);
  }
  const told: [id: string, sent: unknown][] = [];
  for await (const { checkpoint } of checkpointer.list(thread)) {
    const sends = (checkpoint.channel_values["__pregel_tasks"] ?? []) as { args: { messages: unknown[] } }[];
    const sent = sends.map(({ args }) => args.messages.map((message) => (message as HumanMessage).content));
    told.push([checkpoint.id, plain(sent)]);
  }
  return told.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sent]) => sent);
}

it.each([
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
  ["PostgreSQL", () => openPostgres().saver],
] as const)(
  "an agent of langchain, which sends its state to its tools, stores each message once on %s (F3)",
  async (_name, open) => {
    const saver = open();
    const sent = await talk(saver);
    expect(sent).toEqual(await talk(new Reference()));
    expect(sent.filter((one) => (one as unknown[]).length > 0)).toHaveLength(TURNS);
    let text = "";
    for await (const line of saver.exportThread("t")) text += line;
    for (let turn = 0; turn < TURNS; turn += 1) expect(text.split(`question ${turn}:`)).toHaveLength(2);
  },
);
