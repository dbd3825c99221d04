import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemorySaver as LangGraphMemory } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { runSaverSpec, saverSpecs, testSaver, type Writer } from "../src/conformance/index.ts";
import { MemorySaver } from "../src/memory/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { openPostgres, postgresUrl } from "./support/postgres.ts";
import { startProgram } from "./support/program.ts";

describe("MemorySaver", () => {
  testSaver(
    {
      features: ["verbs"],
      open() {
        const saver = new MemorySaver();
        return { saver, another: () => saver, close: async () => {} };
      },
    },
    { describe, it },
  );
});

describe("SqliteSaver", () => {
  testSaver(
    {
      features: ["verbs", "processes"],
      open() {
        const folder = mkdtempSync(join(tmpdir(), "skein-conformance-"));
        const path = join(folder, "threads.db");
        const opened: SqliteSaver[] = [];
        const another = () => {
          const saver = SqliteSaver.fromConnString(path);
          opened.push(saver);
          return saver;
        };
        return {
          saver: another(),
          another,
          writer: (thread) => writerOf(path, thread),
          async close() {
            for (const saver of opened) await saver.close();
            rmSync(folder, { recursive: true });
          },
        };
      },
    },
    { describe, it },
  );
});

describe("PostgresSaver", () => {
  testSaver(
    {
      features: ["verbs", "processes"],
      async open() {
        const url = await postgresUrl();
        const storage = openPostgres();
        return {
          saver: storage.saver,
          another: storage.reopen,
          writer: (thread) => writerOf(`${url}#${storage.schema}`, thread),
          close: storage.close,
        };
      },
    },
    { describe, it },
  );
});

function writerOf(path: string, thread: string): Writer {
  let output = "";
  const started = startProgram(join(import.meta.dirname, "writer.ts"), path, thread).then((child) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    return child;
  });
  const acknowledged = () => output.split("\n").slice(0, -1);
  return {
    async killAfter(count) {
      const child = await started;
      const exit = once(child, "exit");
      while (acknowledged().length < count) await Promise.race([once(child.stdout, "data"), exit]);
      child.kill("SIGKILL");
      await exit;
      return acknowledged();
    },
  };
}

it("the suite notices a saver that forgets: it can fail", async () => {
  class Forgetful extends LangGraphMemory {
    override async deleteThread(): Promise<void> {}
  }
  const saver = new Forgetful();
  const target = { features: [], open: () => ({ saver, another: () => saver, close: async () => {} }) };
  const failed: string[] = [];
  for (const spec of saverSpecs.filter(({ group }) => group === "deleteThread")) {
    await runSaverSpec(spec, target).catch(() => void failed.push(spec.name));
  }
  expect(failed).toHaveLength(1);
});
