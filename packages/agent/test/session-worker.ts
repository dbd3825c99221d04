import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { SqliteStore } from "@skein/checkpointer/store/sqlite";
import { createAgent, SessionManager } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

/** Another process that ends a session: `session-worker.ts PATH`. Its offload hook says what it was given, and never returns. */
const [path] = process.argv.slice(2) as [string];
const saver = SqliteSaver.fromConnString(path);
const sessions = new SessionManager({
  saver,
  store: SqliteStore.fromConnString(path),
  offload: ({ session, key, messages }) => {
    process.stdout.write(`${JSON.stringify({ id: session.id, key, messages: messages.length })}\n`);
    return new Promise(() => setInterval(() => {}, 1_000));
  },
});
const { id, thread } = await sessions.create({ userId: "ada" });
const agent = createAgent({
  model: new ScriptedModel("reply"),
  checkpointer: saver,
  middleware: [sessions.middleware()],
});
await agent.invoke({ messages: "hello" }, thread);
await sessions.end(id);
