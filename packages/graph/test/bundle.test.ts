import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { importsOf } from "./support/bundle-imports.ts";

it("a bundler keeps the storage by which interrupt() finds its node: package.json names it among the side effects", async () => {
  const entry = fileURLToPath(new URL("../src/index.ts", import.meta.url));
  const result = await build({
    stdin: {
      contents: `import { interrupt } from ${JSON.stringify(entry)}; console.log(interrupt);`,
      resolveDir: ".",
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    conditions: ["@skein/source"],
    packages: "external",
    logLevel: "silent",
  });
  expect(result.outputFiles[0]?.text).toContain("new AsyncLocalStorage");
});

it("importing the engine loads neither LangGraph's checkpointer package, which loads all of @langchain/core, nor that itself", async () => {
  const imports = await importsOf("index.ts");
  const atOnce = imports.flatMap(({ kind, path }) => (kind === "dynamic-import" ? [] : [path]));
  expect(new Set(atOnce)).not.toContain("@langchain/langgraph-checkpoint");
  expect(atOnce.filter((path) => /^@langchain\/core(\/load|\/tracers|$)/.test(path))).toEqual([]);
  expect(imports.map(({ path }) => path)).toContain("@langchain/langgraph-checkpoint");
});

describe("a program that is bundled to CommonJS, which leaves no import.meta.url", () => {
  const saver = fileURLToPath(import.meta.resolve("@skein/checkpointer/sqlite"));
  const libsql = realpathSync(
    fileURLToPath(new URL("../../checkpointer/node_modules/libsql", import.meta.url)),
  );

  async function bundled(folder: string): Promise<string> {
    const outfile = join(folder, "program.cjs");
    await build({
      stdin: {
        contents: `import { SqliteSaver } from ${JSON.stringify(saver)};
          const opened = async () => SqliteSaver.fromConnString(":memory:").setup();
          opened().then(() => console.log("opened"), ({ code, message }) => console.log(code, message));`,
        resolveDir: ".",
      },
      outfile,
      bundle: true,
      format: "cjs",
      platform: "node",
      conditions: ["@skein/source"],
      external: ["libsql"],
      logLevel: "silent",
    });
    return outfile;
  }
  const run = promisify(execFile);

  it("finds its driver where it runs; without one it says what to install", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "skein-bundle-")));
    try {
      const program = await bundled(folder);
      const without = await run(process.execPath, [program], { cwd: folder });
      expect(without.stdout).toMatch(/^STORAGE_UNAVAILABLE .* needs the package "libsql"\. Install it/);
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(libsql, join(folder, "node_modules", "libsql"));
      const { stdout } = await run(process.execPath, [program], { cwd: folder });
      expect(stdout).toBe("opened\n");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("says why a driver that is there does not load", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "skein-bundle-")));
    try {
      const program = await bundled(folder);
      mkdirSync(join(folder, "node_modules", "libsql"), { recursive: true });
      writeFileSync(
        join(folder, "node_modules", "libsql", "index.js"),
        "throw new Error('for another machine');",
      );
      const { stdout } = await run(process.execPath, [program], { cwd: folder });
      expect(stdout).toMatch(/^STORAGE_UNAVAILABLE .*"libsql", which did not load \(for another machine\)/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
