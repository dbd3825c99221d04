import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { noNode } from "../../../graph/test/support/no-node.ts";

const ENGINE = /^@(?:langchain\/langgraph|skein\/graph)(\/.*)?$/;
const MARK = "on-the-web";

/** Programs written against either engine get ours, and of it what needs no AsyncLocalStorage. */
const onOurs: Plugin = {
  name: "on-ours",
  setup({ onResolve, resolve }) {
    onResolve({ filter: ENGINE }, ({ path, pluginData, resolveDir, kind }) => {
      if (pluginData === MARK) return undefined;
      const entry = ENGINE.exec(path)?.[1] ?? "/web";
      return resolve(`@skein/graph${entry}`, { resolveDir, kind, pluginData: MARK });
    });
  },
};

/**
 * The scenarios and our engine as one script for a browser, which leaves a function `runScenarios`
 * behind. Fails when anything in it imports a module of Node's.
 */
export async function bundleScenarios(): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL("entry.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    conditions: ["@skein/source"],
    keepNames: true,
    logLevel: "silent",
    plugins: [noNode, onOurs],
  });
  return result.outputFiles[0]?.text ?? "";
}
