import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { exportsOf } from "../src/declarations.ts";
import { listed } from "../src/guide.ts";

/** Where each entry point's names stand: in our source, and in LangGraph's declarations. */
const ENTRY_POINTS = [
  ["", "src/index.ts", "dist/index.d.ts"],
  ["/web", "src/web.ts", "dist/web.d.ts"],
  ["/prebuilt", "src/prebuilt.ts", "dist/prebuilt/index.d.ts"],
  ["/channels", "src/channels/index.ts", "dist/channels/index.d.ts"],
  ["/pregel", "src/pregel.ts", "dist/pregel/index.d.ts"],
  ["/stream", "src/stream.ts", "dist/stream.d.ts"],
  ["/remote", "src/remote.ts", "dist/remote.d.ts"],
  ["/zod", "src/zod.ts", "dist/graph/zod/index.d.ts"],
  ["/zod/schema", "src/zod-schema.ts", "dist/graph/zod/schema.d.ts"],
] as const;

const ourRoot = new URL("../../graph/", import.meta.url);
const theirRoot = new URL("..", import.meta.resolve("@langchain/langgraph"));
const leftOut = listed("Left out");
const otherTypeArguments = listed("Other type arguments");
const ownWorkings = listed("Methods that are LangGraph's own workings");

/** What a module has when it is imported. */
async function valuesOf(module: string): Promise<Record<string, unknown>> {
  return (await import(module)) as Record<string, unknown>;
}

/** A constant itself; of anything else, what kind of thing it is. */
const constantOf = (value: unknown): string => (typeof value === "string" ? `"${value}"` : typeof value);

type Class = (new () => unknown) & { readonly prototype: object };
const isClass = (value: unknown): value is Class =>
  typeof value === "function" && Object.getOwnPropertyNames(value.prototype ?? {}).length > 1;

/** Methods of a class and of those that it extends, and its static ones; what begins with _ is its own. */
function methodsOf(made: Class): Set<string> {
  const found = new Set<string>();
  for (const start of [made.prototype, made]) {
    for (
      let at = start;
      at !== Object.prototype && at !== Function.prototype;
      at = Object.getPrototypeOf(at)
    ) {
      for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
        if (typeof value === "function" && !name.startsWith("_")) found.add(name);
      }
    }
  }
  return found;
}

describe("every name that LangGraph declares is here and fits, or the migration guide says why not", () => {
  const absent = new Set<string>();
  const fewer = new Set<string>();
  const without = new Set<string>();

  for (const [entry, ourFile, theirFile] of ENTRY_POINTS) {
    const ours = exportsOf(fileURLToPath(new URL(ourFile, ourRoot)));
    const theirs = exportsOf(fileURLToPath(new URL(theirFile, theirRoot)));

    it(`@skein/graph${entry} declares the names`, () => {
      expect(theirs.size).toBeGreaterThan(1);
      const missing = [...theirs.keys()].filter((name) => !ours.has(name));
      for (const name of missing) absent.add(name);
      expect(missing.filter((name) => !leftOut.has(name))).toEqual([]);
    });

    it(`@skein/graph${entry} takes the type arguments`, () => {
      const unfit = [...theirs].filter(([name, { typeParameters }]) => {
        const own = ours.get(name)?.typeParameters;
        if (own === undefined || typeParameters === undefined) return false;
        return own.required > typeParameters.required || own.all < typeParameters.all;
      });
      for (const [name] of unfit) fewer.add(name);
      expect(unfit.map(([name]) => name).filter((name) => !otherTypeArguments.has(name))).toEqual([]);
    });

    it(`@skein/graph${entry} has the values: constants, functions, classes with their methods`, async () => {
      const own = await valuesOf(fileURLToPath(new URL(ourFile, ourRoot)));
      const given = Object.entries(await valuesOf(`@langchain/langgraph${entry}`));
      const present = given.filter(([name]) => !leftOut.has(name));
      expect(present.length).toBeGreaterThan(0);
      for (const [name, value] of present) {
        expect([name, constantOf(own[name])]).toEqual([name, constantOf(value)]);
        if (!isClass(value)) continue;
        const methods = methodsOf(own[name] as Class);
        const missing = [...methodsOf(value)].filter((method) => !methods.has(method));
        for (const method of missing) without.add(`${name}.${method}`);
        const unsaid = missing.filter((method) => !ownWorkings.has(`${name}.${method}`));
        expect([name, unsaid]).toEqual([name, []]);
      }
    });
  }

  it("the guide lists nothing that is here", () => {
    expect([...leftOut.keys()].filter((name) => !absent.has(name))).toEqual([]);
    expect([...otherTypeArguments.keys()].filter((name) => !fewer.has(name))).toEqual([]);
    expect([...ownWorkings.keys()].filter((name) => !without.has(name))).toEqual([]);
  });
});
