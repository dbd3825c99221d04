// What every root command shares: set-up, and running a step while saying what it is.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
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
 * @param options.mayFail - its failure is said, and nothing else
 */
export async function run(what, command, args, options = {}) {
  const { env = {}, quiet = false, patience = 0, mayFail = false } = options;
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
    if (mayFail) return;
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

/** Installs through the pinned pnpm and the lockfile, unless that very set is installed. */
export async function install() {
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

/** Packages whose builds for Node are scripts with a code cache. */
export const CACHED = ["agent", "checkpointer", "context", "graph", "middleware"];

const distOf = (name) => join(root, "packages", name, "dist", "node");
const cacheOf = (script) => script.replace(/cjs$/, `${process.versions.v8}-${process.arch}.cache`);

/** Scripts that the modules of a package run, and files beside them that belong to none: turbo removes nothing. */
function scriptsOf(name) {
  const folder = distOf(name);
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  const texts = files
    .filter((file) => file.endsWith(".js"))
    .map((file) => readFileSync(join(folder, file), "utf8"));
  const named = new Set(texts.map((text) => /require\("\.\/(.+\.cjs)"\)/.exec(text)?.[1]).filter(Boolean));
  const belongs = (file) =>
    [...named].some((script) => basename(file).startsWith(script.replace(/cjs$/, "")));
  const made = files.filter((file) => /\.(?:cjs|cjs\.map|cache)$|\.cache\.\d+-\d+$/.test(file));
  return {
    scripts: made.filter((file) => file.endsWith(".cjs") && belongs(file)).map((file) => join(folder, file)),
    strangers: made.filter((file) => !belongs(file)).map((file) => join(folder, file)),
  };
}

const cachesMissing = () =>
  CACHED.flatMap((name) => scriptsOf(name).scripts).some((script) => !existsSync(cacheOf(script)));

/**
 * Builds what is named, and what V8 compiled of the public packages (docs/decisions/2026-11-24-code-cache.md).
 *
 * @returns whether there is a code cache for all of them; without one everything works, and starts later
 */
export async function build(filter) {
  const quick = { quiet: true, patience: 1_000 };
  const turbo = ["run", "build", `--filter=${filter}`, "--output-logs=errors-only"];
  await run("building", bin("turbo"), turbo, quick);
  for (const name of CACHED) for (const file of scriptsOf(name).strangers) rmSync(file);
  // somebody has built a part of the packages only
  if (CACHED.some((name) => !existsSync(distOf(name)))) return false;
  if (!cachesMissing()) return true;
  const practice = join(root, "scripts", "practice.mjs");
  // V8 takes no cache of a process with other flags
  const env = { SKEIN_CODE_CACHE: "write", NODE_OPTIONS: "" };
  await run("practising", process.execPath, [practice], { ...quick, env, mayFail: true });
  return !cachesMissing();
}
