import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";

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
