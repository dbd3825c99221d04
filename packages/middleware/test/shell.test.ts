import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ToolMessage } from "@langchain/core/messages";
import { createAgent } from "@skein/agent";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { shellToolMiddleware, type ShellToolOptions } from "../src/shell/index.ts";
import { call, saying, says } from "./replies.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "skein-shell-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const agentWith = (command: string, options: Partial<ShellToolOptions>) =>
  createAgent({
    model: saying([call("shell", { command })], "done"),
    middleware: [shellToolMiddleware({ workspaceRoot: folder, ...options })],
  });

async function run(command: string, options: Partial<ShellToolOptions> = {}) {
  const { messages } = await agentWith(command, options).invoke(says("go"));
  const { text, status } = messages[2] as ToolMessage;
  return { text, status };
}

/** Starts a process that leaves the group, and waits until it has. */
const AWAY = "setsid sh -c 'echo $$ > away; exec sleep 60' & until [ -s away ]; do sleep 0.02; done";

const rule = (command: string) =>
  command.includes("rm") ? "Nothing is deleted here." : !command.includes("dd");

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // a killed process that nobody has asked about yet is still listed
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

async function pidIn(file: string): Promise<number> {
  const path = join(folder, file);
  for (let tries = 0; tries < 500; tries++) {
    const text = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
    if (text !== "") return Number(text);
    await sleep(20);
  }
  throw new Error(`no ${file}`);
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 500 && isAlive(pid); tries++) await sleep(20);
  return !isAlive(pid);
}

describe("shell tool (E4)", () => {
  it("does not wait for what left its process group", async () => {
    const { text, status } = await run(`${AWAY}; echo started`);
    const pid = await pidIn("away");
    expect([text, status, isAlive(pid)]).toEqual(["started", "success", true]);
    process.kill(pid, "SIGKILL");
  });
  it("is over in time, although what left its process group goes on", async () => {
    const { text, status } = await run(`${AWAY}; sleep 60`, { timeout: 2000 });
    process.kill(await pidIn("away"), "SIGKILL");
    expect([text, status]).toEqual(["(no output)\nStopped: it took longer than 2000 ms.", "error"]);
  });
  it("runs a command in its folder and returns what it wrote", async () => {
    expect(await run("pwd; echo more >&2")).toEqual({ text: `${folder}\nmore`, status: "success" });
    expect(await run("true")).toEqual({ text: "(no output)", status: "success" });
    expect(await run("echo no; exit 3")).toEqual({ text: "no\nExit code: 3", status: "error" });
  });

  it("keys of this process are not handed on", async () => {
    process.env["SKEIN_TEST_KEY"] = "secret";
    try {
      const { text } = await run("env", { env: { GREETING: "hello" } });
      expect(text).not.toContain("secret");
      expect(text).toContain("GREETING=hello");
      expect(text).toContain("PATH=");
    } finally {
      delete process.env["SKEIN_TEST_KEY"];
    }
  });

  it("takes too long: the whole group is killed, also what ignores the first signal", async () => {
    const command =
      "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ > child; while :; do sleep 1; done' & echo begun; wait";
    const { text, status } = await run(command, { timeout: 500 });
    expect([text, status]).toEqual(["begun\nStopped: it took longer than 500 ms.", "error"]);
    expect(await gone(await pidIn("child"))).toBe(true);
  });

  it("what was left in the background does not go on", async () => {
    const child = "sh -c 'echo $$ > child; while :; do sleep 1; done' &";
    const { text } = await run(`${child} while [ ! -s child ]; do sleep 0.05; done; echo begun`);
    expect(text).toBe("begun");
    expect(await gone(await pidIn("child"))).toBe(true);
  });

  it("an aborted run kills the command", async () => {
    const controller = new AbortController();
    const running = agentWith("echo $$ > child; while :; do sleep 1; done", {}).invoke(says("go"), {
      signal: controller.signal,
    });
    const failure = running.catch((error: unknown) => String(error));
    const pid = await pidIn("child");
    controller.abort();
    expect(await failure).toMatch(/abort/iu);
    expect(await gone(pid)).toBe(true);
  });

  it("of long output the model sees the beginning and the end", async () => {
    const { text } = await run("seq 1 1000", { maxOutputLines: 4 });
    expect(text).toBe("1\n2\n[996 lines left out]\n999\n1000");
    const long = await run("head -c 3000000 /dev/zero | tr '\\0' 'x'; echo; echo end", {
      maxOutputChars: 100,
    });
    expect(long.text.length).toBeLessThan(150);
    expect(long.text).toMatch(/^x+\n\[output left out\]\nx+\nend$/u);
  });

  it("by default 100 lines and 100,000 characters are shown, and a command has 30 seconds", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    const lines = (await run("seq 1 150")).text.split("\n");
    expect([lines.length, lines[50], lines.at(-1)]).toEqual([101, "[50 lines left out]", "150"]);
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(30_000);
    timers.mockRestore();
    expect((await run("head -c 100000 /dev/zero | tr '\\0' 'x'")).text).toBe("x".repeat(100_000));
    expect((await run("head -c 100002 /dev/zero | tr '\\0' 'x'")).text).toContain("[output left out]");
  });

  it("with a list of commands nothing else runs, and no shell reads them", async () => {
    const options = { commands: ["echo", "pwd"] };
    expect((await run("echo one  two", options)).text).toBe("one two");
    for (const command of [
      "ls",
      "echo a; ls",
      "echo $HOME",
      "echo `ls`",
      "echo a | sh",
      "echo a > f",
      'echo "a"',
      "/bin/echo a",
    ]) {
      expect(await run(command, options)).toMatchObject({ status: "error" });
    }
    expect(existsSync(join(folder, "f"))).toBe(false);
  });

  it("a rule of one's own is asked first, and fails closed (E3)", async () => {
    expect((await run("echo fine", { allow: rule })).text).toBe("fine");
    expect((await run("rm -r x", { allow: rule })).text).toContain("Nothing is deleted here.");
    expect((await run("dd", { allow: rule })).text).toContain("not allowed");
    const broken = await run("echo $$ > child", {
      allow: () => {
        throw new Error("no rule");
      },
    });
    expect(broken.status).toBe("error");
    expect(existsSync(join(folder, "child"))).toBe(false);
  });

  it.each([
    ["undefined", () => undefined],
    ["null", () => null],
    ["undefined", async () => undefined],
    ["0", () => 0],
    ["1", () => 1],
    ["an object", () => ({})],
    ["", () => ""],
  ])("a rule that says (%s) and not true: the command does not run (E3)", async (said, allow) => {
    const { text, status } = await run("echo > ran", { allow: allow as never });
    expect(status).toBe("error");
    expect(text).toContain("This command is not allowed.");
    const told = /Its rule said (.*) instead of true\./u.exec(text)?.[1];
    expect(told).toBe(said === "" ? undefined : said);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  it("a limit beyond what timers take is none, instead of none at all", async () => {
    expect((await run("sleep 0.1; echo done", { timeout: 2 ** 31 })).text).toBe("done");
  });

  it("options that can't be are refused", () => {
    expect(() => shellToolMiddleware({ workspaceRoot: "" })).toThrow("workspaceRoot must be a folder");
    expect(() => shellToolMiddleware({ workspaceRoot: join(folder, "none") })).toThrow("is no folder");
    expect(() => shellToolMiddleware({ workspaceRoot: folder, timeout: Number.NaN })).toThrow("timeout");
  });
});
