import { build } from "esbuild";
import { noNode } from "./no-node.ts";

/** Bundles a program for a browser, from the packages' sources. @param resolveDir - where its imports are looked for */
export async function bundleForBrowser(contents: string, resolveDir: string): Promise<string> {
  const result = await build({
    stdin: { contents, resolveDir, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["@skein/source"],
    logLevel: "silent",
    plugins: [noNode],
  });
  return result.outputFiles[0]?.text ?? "";
}
