import { Client, Pool } from "pg";
import { expect, it, vi } from "vitest";
import { CHANGE_SETS } from "../src/index.ts";
import type { PostgresPool } from "../src/postgres/index.ts";
import { putValue } from "./steps.ts";
import { schemaPerTest } from "./support/schema-per-test.ts";

const schema = schemaPerTest();

it("where a thread that was taken can neither be read nor given back, the first of both is told", async () => {
  const saver = schema.open();
  await putValue(saver, "t", "1", 1);
  await putValue(saver, "t", "2", 2);
  const pool = new Pool({ connectionString: schema.url });
  let sent = 0;
  const losing: PostgresPool = {
    query: (query) => {
      sent += 1;
      // it is taken, and the place of an older checkpoint is not found any more
      return sent === 1 ? pool.query(query) : Promise.reject(new Error(`Connection terminated, ${sent}`));
    },
    connect: () => pool.connect(),
    end: () => pool.end(),
    on: (event, listener) => pool.on(event, listener),
  };
  const older = { threadId: "t", namespace: "", checkpointId: "1" };
  const opened = schema.over(losing)[CHANGE_SETS].open(older, { claim: "fail" });
  await expect(opened).rejects.toThrow("Connection terminated, 2");
  expect(sent).toBe(3);
});

it("a connection that breaks as soon as it is made does not end the process", async () => {
  const query = Client.prototype.query as (...given: unknown[]) => Promise<unknown>;
  const heard: boolean[] = [];
  const spy = vi.spyOn(Client.prototype, "query").mockImplementation(function (
    this: Client,
    ...given: unknown[]
  ) {
    const answer = query.apply(this, given);
    const { text } = given[0] as { text: string };
    if (!text.startsWith("SET lock_timeout")) return answer;
    return answer.then((result) => {
      // an error that nobody listens to is thrown where nobody catches it
      heard.push(this.emit("error", new Error("terminating connection due to idle-session timeout")));
      return result;
    });
  } as never);
  try {
    await schema.open().setup();
  } finally {
    spy.mockRestore();
  }
  expect(heard).toContain(true);
});
