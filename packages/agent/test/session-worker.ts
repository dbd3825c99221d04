import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { PostgresStore } from "@skein/checkpointer/store/postgres";
import { SqliteStore } from "@skein/checkpointer/store/sqlite";
import { createAgent, SessionManager } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

/** Another process that ends a session: `session-worker.ts PATH|URL#SCHEMA`. Its offload hook says what it was given, and never returns. */
const [target] = process.argv.slice(2) as [string];
const [url, schema] = target.split("#") as [string, string];
const { saver, store } = target.startsWith("postgres:")
  ? {
      saver: PostgresSaver.fromConnString(url, { schema }),
      store: PostgresStore.fromConnString(url, { schema }),
    }
  : { saver: SqliteSaver.fromConnString(target), store: SqliteStore.fromConnString(target) };
const sessions = new SessionManager({
  saver,
  store,
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
