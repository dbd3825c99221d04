// What every root command shares: set-up, and running a step while saying what it is.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tools = join(root, "node_modules", ".bin");
const stamp = join(root, "node_modules", ".skein", "installed");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Progress goes to stderr, so that the JSON of a command stays alone on stdout. */
export function say(text) {
  process.stderr.write(`skein: ${text}\n`);
}

const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Programs that are at work: when one fails, the others end with it. */
const running = new Set();

/**
 * Runs a program in the repository, and says what it is and how long it took; if it fails, ends this
 * process with its code.
 *
 * @param options.quiet - its output is shown only if it fails
 * @param options.patience - milliseconds after which it is worth a line
 */
export async function run(what, command, args, { env = {}, quiet = false, patience = 0 } = {}) {
  const started = Date.now();
  const child = spawn(command, args, {
    cwd: root,
    // turbo looks for the package manager on the PATH; ours is among the dev dependencies
    env: {
      ...process.env,
      PATH: `${tools}${delimiter}${process.env.PATH}`,
      TURBO_TELEMETRY_DISABLED: "1",
      ...env,
    },
    stdio: quiet ? ["ignore", "pipe", "pipe"] : ["ignore", 2, 2],
    // for the .cmd files of tools; Node's own path may have spaces
    shell: process.platform === "win32" && command !== process.execPath,
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => (output += text));
  }
  let said = patience === 0;
  if (said) say(`${what} ...`);
  const timer = setTimeout(() => {
    if (!said) say(`${what} ...`);
    said = true;
  }, patience);
  const { code, error } = await new Promise((resolve) => {
    child.once("error", (problem) => resolve({ code: 1, error: problem }));
    child.once("close", (status) => resolve({ code: status }));
  });
  clearTimeout(timer);
  running.delete(child);
  if (code !== 0) {
    process.stderr.write(output);
    say(`${what}: failed${error ? ` (${error.message})` : ""}`);
    for (const other of running) other.kill();
    process.exit(code || 1);
  }
  if (said) say(`${what}: ${seconds(started)}`);
}

/** A tool of the workspace, by its file in node_modules/.bin. */
export function bin(name) {
  return join(tools, process.platform === "win32" ? `${name}.cmd` : name);
}

function workspaceManifests() {
  return ["packages", "apps"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(root, folder, name, "package.json")),
  );
}

/** Whoever holds the lock for longer has died, and something else has its number. */
const LONGEST_MS = 60 * 60_000;

/** Set-up and builds write the same files: two commands that are started in one folder take turns. */
async function inTurn(work) {
  const place = createHash("sha256").update(root).digest("hex").slice(0, 16);
  const lock = join(tmpdir(), `skein-${process.getuid?.() ?? "all"}-${place}.lock`);
  for (let waited = 0; !take(lock); waited += 1) {
    if (waited === 2) say(`another command sets up or builds in this folder: waiting for it (${lock}) ...`);
    await sleep(500);
  }
  const free = () => rmSync(lock, { force: true });
  process.once("exit", free);
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    return await work();
  } finally {
    process.off("exit", free);
    for (const signal of SIGNALS) process.off(signal, stop);
    free();
  }
}

const SIGNALS = ["SIGINT", "SIGTERM"];
const stop = () => process.exit(130);

/** The file has the id of the process that holds it. */
function take(lock) {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: "wx" });
    return true;
  } catch (error) {
    // no folder for it: nothing to wait for either
    if (error.code !== "EEXIST") return true;
  }
  if (isHeld(lock)) return false;
  try {
    rmSync(lock, { force: true });
  } catch {
    return true;
  }
  return false;
}

function isHeld(lock) {
  try {
    const holder = Number(readFileSync(lock, "utf8"));
    if (holder === process.pid || Date.now() - statSync(lock).mtimeMs > LONGEST_MS) return false;
    // for an empty file, which is being written, this asks for our own group
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** @param args - of turbo, behind `run build` */
export function build(args, options = {}) {
  const all = ["run", "build", ...args, "--output-logs=errors-only"];
  return inTurn(() => run("building", bin("turbo"), all, { quiet: true, ...options }));
}

/** Installs through the pinned pnpm and the lockfile, unless that very set is installed. */
export function install() {
  return inTurn(installed);
}

async function installed() {
  const hash = createHash("sha256");
  for (const file of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"])
    hash.update(readFileSync(join(root, file)));
  for (const file of workspaceManifests()) if (existsSync(file)) hash.update(readFileSync(file));
  const wanted = hash.digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const pnpm = manifest.packageManager;
  await run(`installing with ${pnpm}`, "npx", ["--yes", pnpm, "install", "--frozen-lockfile"], {
    quiet: true,
    env: { CI: "true" },
  });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}
