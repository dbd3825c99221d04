import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder, PROJECT } from "./folder.ts";
import { skein } from "./skein.ts";

const ofType = (events: readonly Record<string, unknown>[], type: string) =>
  events.filter((event) => event["type"] === type);

describe("/reset (F7)", () => {
  it("ends a session: its history is handed over, by a later chat if need be, and it is not gone on with", async () => {
    const cwd = makeFolder(PROJECT);
    // a folder stands where the file is to be
    mkdirSync(join(cwd, "taken", "a%20b.jsonl"), { recursive: true });
    const failing = ["chat", "--new", "a b", "--offload", "taken", "--json"];
    const first = await skein(failing, { cwd, input: "hello\n/reset\n/reset\n" });
    expect(first.code).toBe(0);
    // of the second /reset there is nothing to end
    expect(ofType(first.json, "session-end")).toEqual([
      {
        type: "session-end",
        thread: "a b",
        state: "ending",
        error: expect.stringContaining("taken") as string,
      },
    ]);

    const second = await skein(["chat", "--offload", "histories", "--json"], { cwd, input: "/reset\n" });
    expect(ofType(second.json, "thread").map(({ started }) => started)).toEqual(["new", "new"]);
    const lines = readFileSync(join(cwd, "histories", "a%20b.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(["human", "ai"]);

    const again = await skein(["chat", "--thread", "a b"], { cwd });
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining("fork 'a b' CHECKPOINT --to NEW"),
    ]);
  });
});

it("a plain chat goes on with the latest chat, not with a replayed recording", async () => {
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: "ho" },
    { role: "user", content: "again" },
    { role: "assistant", content: "ho ho" },
  ];
  const cwd = makeFolder({ "r.jsonl": `${JSON.stringify({ id: "rec", messages })}\n` });
  await skein(["chat", "--new", "mine", "--json"], { cwd, input: "hello\n" });
  expect((await skein(["replay", "r.jsonl"], { cwd })).code).toBe(0);
  const plain = await skein(["chat", "--json"], { cwd, input: "hello again\n" });
  expect(plain.json[0]).toMatchObject({ thread: "mine", started: "continued", messages: 2 });

  const named = await skein(["chat", "--thread", "rec", "--json"], { cwd });
  expect(named.json[0]).toMatchObject({ thread: "rec", started: "continued", messages: 4 });
});
