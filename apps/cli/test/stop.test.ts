import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { whatStays } from "../src/commands/tour.ts";
import { makeFolder, PROJECT } from "./folder.ts";
import { NODE_ARGS } from "./skein.ts";

/** Runs a command and stops it as soon as it has reported progress. */
function stopped(args: readonly string[], cwd: string, signal: NodeJS.Signals) {
  const child = spawn(process.execPath, [...NODE_ARGS, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (stderr === "") child.kill(signal);
    stderr += text;
  });
  return new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, stderr }));
  });
}

it("a tour that is stopped at its very beginning names no thread that is not there", () => {
  const entry = { type: "message", id: "m", hash: "h" };
  const cwd = makeFolder({ begun: `${JSON.stringify(entry)}\n` });
  expect(whatStays("t", `${cwd}/absent`, { db: "x.db", dir: "." })).toMatch(
    /begin again with: .* tour --db x\.db$/,
  );
  expect(whatStays("t", `${cwd}/begun`, { db: "x.db", dir: "." })).toMatch(
    /go on with: .* chat --thread t --db x\.db$/,
  );
});

describe("a command that is told to stop", () => {
  it("replay: stops between two turns and says what is stored", { timeout: 60_000 }, async () => {
    const messages = Array.from({ length: 4 }, () => ({ role: "user", content: "hi" }));
    const lines = Array.from({ length: 2_000 }, (_, id) => `${JSON.stringify({ id: `r${id}`, messages })}\n`);
    const cwd = makeFolder({ "many.jsonl": lines.join("") });
    const { code, stderr } = await stopped(["replay", "many.jsonl"], cwd, "SIGINT");
    expect(code).toBe(130);
    expect(stderr).toMatch(/stopped\. [\d,]+ threads of 2,000 played and stored/);
  });

  it("tour: keeps the thread and leaves nothing else behind", { timeout: 60_000 }, async () => {
    const cwd = makeFolder(PROJECT);
    const { code, stderr } = await stopped(["tour"], cwd, "SIGTERM");
    expect(code).toBe(143);
    expect(stderr).toMatch(/stopped\. What was done is saved; go on with: .* chat --thread tour-/);
    expect(readdirSync(`${cwd}/.skein`).filter((name) => name.includes("journal"))).toEqual([]);
  });
});
