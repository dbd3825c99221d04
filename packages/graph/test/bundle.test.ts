import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
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
