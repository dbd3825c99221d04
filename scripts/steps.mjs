// What every root command shares: set-up, and running a step while saying what it is.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
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

function place(env) {
  return {
    cwd: root,
    // turbo looks for the package manager on the PATH; ours is among the dev dependencies
    env: {
      ...process.env,
      PATH: `${tools}${delimiter}${process.env.PATH}`,
      TURBO_TELEMETRY_DISABLED: "1",
      ...env,
    },
  };
}

/** Like `run`, but a step that takes less than a second leaves no line: it had nothing to do. */
export async function runIfNeeded(what, command, args) {
  const started = Date.now();
  const child = spawn(command, args, {
    ...place({}),
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  }
  let said = false;
  const timer = setTimeout(() => {
    said = true;
    say(`${what} ...`);
  }, 1_000);
  const { code, error } = await new Promise((resolve) => {
    child.once("error", (problem) => resolve({ code: 1, error: problem }));
    child.once("close", (status) => resolve({ code: status }));
  });
  clearTimeout(timer);
  if (code !== 0) {
    process.stderr.write(output);
    say(`${what}: failed${error ? ` (${error.message})` : ""}`);
    process.exit(code || 1);
  }
  if (said) say(`${what}: ${seconds(started)}`);
}

/** Runs a program in the repository; ends this process with its code if it fails. */
export function run(what, command, args, { env = {}, quiet = false } = {}) {
  const started = Date.now();
  say(`${what} ...`);
  const result = spawnSync(command, args, {
    ...place(env),
    stdio: quiet ? ["ignore", "pipe", "pipe"] : ["ignore", 2, 2],
    encoding: "utf8",
    maxBuffer: 1 << 28,
    shell: process.platform === "win32",
  });
  if (result.error || result.status !== 0) {
    if (quiet) process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
    say(`${what}: failed${result.error ? ` (${result.error.message})` : ""}`);
    process.exit(result.status || 1);
  }
  say(`${what}: ${seconds(started)}`);
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

/** Installs through the pinned pnpm and the lockfile, unless that very set is installed. */
export function install() {
  const hash = createHash("sha256");
  for (const file of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"])
    hash.update(readFileSync(join(root, file)));
  for (const file of workspaceManifests()) if (existsSync(file)) hash.update(readFileSync(file));
  const wanted = hash.digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const pnpm = manifest.packageManager;
  run(`installing with ${pnpm}`, "npx", ["--yes", pnpm, "install", "--frozen-lockfile"], {
    quiet: true,
    env: { CI: "true" },
  });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}
