import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** Where each entry point's names stand: in our source, and in LangGraph's declarations. */
const ENTRY_POINTS = [
  ["", "src/index.ts", "dist/index.d.ts"],
  ["/web", "src/web.ts", "dist/web.d.ts"],
  ["/prebuilt", "src/prebuilt.ts", "dist/prebuilt/index.d.ts"],
  ["/channels", "src/channels/index.ts", "dist/channels/index.d.ts"],
  ["/stream", "src/stream.ts", "dist/stream.d.ts"],
  ["/remote", "src/remote.ts", "dist/remote.d.ts"],
  ["/zod", "src/zod.ts", "dist/graph/zod/index.d.ts"],
] as const;

/** What LangGraph exports and we do not, and why. */
const LEFT_OUT: readonly (readonly [reason: string, names: readonly string[]])[] = [
  [
    "superseded in LangGraph itself",
    [
      "MessageGraph",
      "ToolExecutor",
      "ToolExecutorArgs",
      "ToolInvocationInterface",
      "createAgentExecutor",
      "AgentExecutorState",
      "createFunctionCallingExecutor",
      "FunctionCallingExecutorState",
    ],
  ],
  ["graphs without a state, the base of MessageGraph; here a builder is a StateGraph", ["Graph"]],
  ["a global registry", ["getSubgraphsSeenSet"]],
  [
    "the entry point ./pregel is issue 7",
    [
      "Pregel",
      "PregelNode",
      "PregelParams",
      "MultipleChannelSubscriptionOptions",
      "SingleChannelSubscriptionOptions",
    ],
  ],
];
const reasons = new Map(LEFT_OUT.flatMap(([reason, names]) => names.map((name) => [name, reason] as const)));

/** What the export lists of a file name, those of files that it exports as a whole included. */
function namesIn(file: URL): string[] {
  const text = readFileSync(file, "utf8");
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, list]) => list as string);
  const entries = lists.flatMap((list) => list.split(",")).map((entry) => entry.trim());
  const names = entries.filter((entry) => entry !== "").map((entry) => entry.split(/\s+/).at(-1) as string);
  const wholes = [...text.matchAll(/^export \* from "([^"]+)"/gm)].map(([, path]) => path as string);
  return [...names, ...wholes.flatMap((path) => namesIn(new URL(path, file)))];
}

const ourRoot = new URL("../../graph/", import.meta.url);
const theirRoot = new URL("..", import.meta.resolve("@langchain/langgraph"));

/** What a module has when it is imported. */
async function valuesOf(module: string): Promise<string[]> {
  return Object.keys((await import(module)) as object);
}

describe("every name that LangGraph declares is declared here, or left out for a reason", () => {
  const missing = new Set<string>();

  for (const [entry, ourFile, theirFile] of ENTRY_POINTS) {
    it(`@skein/graph${entry}`, async () => {
      const theirs = namesIn(new URL(theirFile, theirRoot));
      const ours = new Set(namesIn(new URL(ourFile, ourRoot)));
      expect(theirs.length).toBeGreaterThan(1);
      const absent = theirs.filter((name) => !ours.has(name));
      for (const name of absent) missing.add(name);
      expect(absent.filter((name) => !reasons.has(name))).toEqual([]);

      const values = await valuesOf(fileURLToPath(new URL(ourFile, ourRoot)));
      const theirValues = await valuesOf(`@langchain/langgraph${entry}`);
      expect(theirValues.filter((name) => !reasons.has(name) && !values.includes(name))).toEqual([]);
    });
  }

  it("nothing is said to be left out that is here", () => {
    expect([...reasons.keys()].filter((name) => !missing.has(name))).toEqual([]);
  });
});
