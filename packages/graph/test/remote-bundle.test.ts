import { expect, it } from "vitest";
import { importsOf } from "./support/bundle-imports.ts";

const packagesOf = async (entry: string): Promise<string[]> =>
  (await importsOf(entry)).map(({ path }) => path);

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
    const sdk = (await packagesOf(entry)).filter((path) => path.startsWith("@langchain/langgraph-sdk"));
    expect({ entry, sdk }).toEqual({ entry, sdk: [] });
  }
  const remote = await packagesOf("remote.ts");
  expect(remote).toContain("@langchain/langgraph-sdk/client");
  expect(remote.filter((path) => path.startsWith("node:"))).toEqual([]);
});
