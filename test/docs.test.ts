import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlePrograms } from "../packages/bench/src/bundle.ts";
import { services } from "./docs-services.ts";

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

  it("compiles", () => {
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile) as { config: object };
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
    const program = ts.createProgram(snippets.map(fileOf), { ...options, noUnusedLocals: false });
    // of the snippets alone: the sources have been checked
    const complaints = snippets
      .flatMap((snippet) => ts.getPreEmitDiagnostics(program, program.getSourceFile(fileOf(snippet))))
      .filter(({ file }) => file?.fileName.includes("/.snippets/"))
      .map(({ file, start, messageText }) => {
        const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
        return `${relative(root, file?.fileName ?? "")}:${line} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
      });
    expect(complaints).toEqual([]);
  }, 120_000);

  it("runs, and prints what the page says", async () => {
    const wrong: { name: string; printed: string; said: string }[] = [];
    const { environmentOf, stop } = services();
    const scripts = await bundlePrograms(snippets.map(fileOf), join(workshop, "bundle"));
    const run = async (snippet: Snippet, script: string): Promise<void> => {
      const cwd = join(workshop, snippet.name);
      mkdirSync(cwd, { recursive: true });
      const env = await environmentOf(snippet.code);
      const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd, env, timeout: 60_000 });
      const said = snippet.prints?.trim();
      if (said !== undefined && said !== stdout.trim())
        wrong.push({ name: snippet.name, printed: stdout, said });
    };
    const queue = snippets.map((snippet, i) => ({ snippet, script: scripts[i] as string }));
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) await run(next.snippet, next.script);
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker)).finally(stop);
    expect(wrong).toEqual([]);
  }, 240_000);
});
