import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";

/** Packages that an entry point imports, at once or later. */
async function importsOf(entry: string): Promise<Set<string>> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${entry}`, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    conditions: ["@skein/source"],
    external: ["@langchain/*", "zod"],
    logLevel: "silent",
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return new Set(imports.map(({ path }) => path));
}

it("the SDK is loaded by ./remote, which needs nothing of Node's, and by no other entry point", async () => {
  for (const entry of [
    "index.ts",
    "web.ts",
    "prebuilt.ts",
    "pregel.ts",
    "stream.ts",
    "zod.ts",
    "channels/index.ts",
  ]) {
    const sdk = [...(await importsOf(entry))].filter((path) => path.startsWith("@langchain/langgraph-sdk"));
    expect(sdk, entry).toEqual([]);
  }
  const remote = await importsOf("remote.ts");
  expect(remote).toContain("@langchain/langgraph-sdk/client");
  expect([...remote].filter((path) => path.startsWith("node:"))).toEqual([]);
});
