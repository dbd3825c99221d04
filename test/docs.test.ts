import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlePrograms } from "../packages/bench/src/bundle.ts";
import type { Outcome, Program } from "./docs-runner.ts";
import { services } from "./docs-services.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "..");
/** Inside the repository, so that snippets resolve packages as a user's program would. */
const workshop = join(root, "test", ".snippets");

interface Snippet {
  readonly name: string;
  readonly code: string;
  /** What the page says that the program prints: a `text` block right after the program. */
  readonly prints: string | undefined;
}

const BLOCK = /^```(\w*)[^\n]*\n([\s\S]*?)^```\s*$/gm;

function snippetsOf(page: string): Snippet[] {
  const blocks = [...readFileSync(page, "utf8").matchAll(BLOCK)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
  const base = relative(root, page).replaceAll(/[^A-Za-z0-9]+/g, "-");
  return blocks.flatMap(({ language, code }, index) => {
    if (language !== "ts") return [];
    const next = blocks[index + 1];
    return [{ name: `${base}-${index}`, code, prints: next?.language === "text" ? next.code : undefined }];
  });
}

function pages(): string[] {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && !file.startsWith("decisions"))
    .map((file) => join(root, "docs", file));
  const readmes = ["packages", "apps"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => join(root, folder, name))
      .flatMap((dir) => (readdirSync(dir).includes("README.md") ? [join(dir, "README.md")] : [])),
  );
  return [join(root, "README.md"), join(root, "CONTRIBUTING.md"), ...docs, ...readmes];
}

const snippets = pages().flatMap(snippetsOf);
const fileOf = (snippet: Snippet): string => join(workshop, `${snippet.name}.ts`);

beforeAll(() => {
  rmSync(workshop, { recursive: true, force: true });
  mkdirSync(workshop, { recursive: true });
  for (const snippet of snippets) writeFileSync(fileOf(snippet), `${snippet.code}\nexport {};\n`);
});

afterAll(() => rmSync(workshop, { recursive: true, force: true }));

describe("code in the documentation", () => {
  it("is there", () => expect(snippets.length).toBeGreaterThan(3));

  it("compiles", async () => {
    const settings = { extends: "../../tsconfig.json", compilerOptions: { noUnusedLocals: false } };
    writeFileSync(
      join(workshop, "tsconfig.json"),
      JSON.stringify({ ...settings, include: [], files: snippets.map(fileOf) }),
    );
    const compiler = join(root, "node_modules", "typescript-native", "bin", "tsc");
    const compiled = execute(process.execPath, [compiler, "--noEmit", "--pretty", "false", "-p", workshop]);
    const complaints = await compiled.then(
      () => "",
      (error) => `${error.stdout}${error.stderr}` || String(error),
    );
    expect(complaints).toBe("");
  }, 120_000);

  it("runs, and prints what the page says", async () => {
    const { environmentOf, stop } = services();
    const scripts = await bundlePrograms(snippets.map(fileOf), join(workshop, "bundle"));
    const [runner = ""] = await bundlePrograms(
      [join(import.meta.dirname, "docs-runner.ts")],
      join(workshop, "runner"),
    );
    const programs: Program[] = [];
    for (const [at, { name, code }] of snippets.entries()) {
      const cwd = join(workshop, name);
      mkdirSync(cwd, { recursive: true });
      programs.push({ script: scripts[at] as string, cwd, env: await environmentOf(code) });
    }
    const share = Math.ceil(programs.length / availableParallelism());
    const shares = Array.from({ length: availableParallelism() }, (_, nth) =>
      run(runner, programs.slice(nth * share, (nth + 1) * share)),
    );
    const outcomes = await Promise.all(shares).finally(stop);
    const expected = outcomes.flat().map(({ printed }, at) => {
      const said = snippets[at]?.prints?.trim();
      return { name: snippets[at]?.name, printed: said ?? printed.trim() };
    });
    const seen = outcomes.flat().map(({ printed, failure }, at) => ({
      name: snippets[at]?.name,
      printed: printed.trim(),
      ...(failure !== undefined && { failure }),
    }));
    expect(seen).toEqual(expected);
    expect(seen).toHaveLength(snippets.length);
  }, 240_000);
});

/** In a process of its own, which has to end when the programs have. */
async function run(runner: string, programs: readonly Program[]): Promise<Outcome[]> {
  const { stdout } = await execute(process.execPath, [runner, JSON.stringify(programs)], {
    timeout: 120_000,
  });
  return JSON.parse(stdout) as Outcome[];
}
