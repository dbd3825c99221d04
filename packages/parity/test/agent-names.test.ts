import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as agent from "@skein/agent";
import * as middleware from "@skein/middleware";
import * as langchain from "langchain";
import { describe, expect, it } from "vitest";
import { exportsOf } from "../src/declarations.ts";

/** What `langchain` exports and neither @skein/agent nor @skein/middleware does, and why. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  "LangChain's core, from where a program can import it": [
    "AIMessage",
    "AIMessageChunk",
    "BaseMessage",
    "BaseMessageChunk",
    "Document",
    "DynamicStructuredTool",
    "DynamicTool",
    "HumanMessage",
    "HumanMessageChunk",
    "InMemoryStore",
    "StructuredTool",
    "SystemMessage",
    "SystemMessageChunk",
    "Tool",
    "ToolMessage",
    "ToolMessageChunk",
    "context",
    "fakeModel",
    "filterMessages",
    "langchainMatchers",
    "trimMessages",
  ],
  "models by name, which langchain makes; createAgent asks it to": ["initChatModel"],
  "for its own tests and by its bundler": ["FakeToolCallingModel", "src_exports"],
  "for one provider, or a few lines; it runs in our agent as it is": [
    "anthropicPromptCachingMiddleware",
    "bedrockPromptCachingMiddleware",
    "openAIModerationMiddleware",
    "providerToolSearchMiddleware",
    "toolErrorMiddleware",
  ],
  "superseded in langchain itself": ["piiRedactionMiddleware"],
  "parts of its PII middleware": ["applyStrategy", "resolveRedactionRule"],
  "createTokenCounter of @skein/context counts": ["countTokensApproximately"],
};

/** Types that `langchain` exports and neither of the two does, and why. */
const LEFT_OUT_TYPES: Readonly<Record<string, readonly string[]>> = {
  "LangChain's core, from where a program can import it": [
    "ContentBlock",
    "DocumentInput",
    "LangChainMatchers",
    "ToolRuntime",
  ],
  "of middleware that is left out": [
    "BedrockConversePromptCachingMiddlewareConfig",
    "OpenAIModerationMiddlewareOptions",
    "PIIRedactionMiddlewareConfig",
    "PromptCachingMiddlewareConfig",
    "ProviderToolSearchMiddlewareConfig",
    "RedactionRuleConfig",
    "ResolvedRedactionRule",
    "ToolErrorHandler",
    "ToolErrorMiddlewareConfig",
  ],
  "its own workings: names of nodes, and how it makes a graph's types": [
    "N",
    "ToAnnotationRoot",
    "WithStateGraphNodes",
  ],
};

/** Everything but what only Node has, which is imported by subpath. */
const here = new Set([...Object.keys(agent), ...Object.keys(middleware)]);

describe("every value that langchain exports is exported here, or left out for a reason", () => {
  const left = Object.values(LEFT_OUT).flat();

  it("none is missing", () => {
    const theirs = Object.keys(langchain);
    expect(theirs.length).toBeGreaterThan(50);
    expect(theirs.filter((name) => !here.has(name) && !left.includes(name))).toEqual([]);
  });

  it("nothing is said to be left out that is here, or not there", () => {
    expect(left.filter((name) => here.has(name) || !(name in langchain))).toEqual([]);
  });

  it("no type is missing, and none is said to be left out that is here, or not there", () => {
    const theirs = exportsOf(at("parity/node_modules/langchain/dist/index.d.ts"));
    const sources = ["agent/src/index.ts", "middleware/src/index.ts"].map((path) => at(path));
    const ours = new Set(sources.flatMap((path) => [...exportsOf(path).keys()]));
    expect(theirs.size).toBeGreaterThan(180);
    const leftTypes = Object.values(LEFT_OUT_TYPES).flat();
    const known = new Set([...left, ...leftTypes]);
    expect([...theirs.keys()].filter((name) => !ours.has(name) && !known.has(name))).toEqual([]);
    expect(leftTypes.filter((name) => ours.has(name) || !theirs.has(name))).toEqual([]);
  });

  it("where what is left out comes from is told, but for what is langchain's own workings", () => {
    const guide = read("../docs/migration.md");
    const workings = /^for its own tests|^parts of|^its own workings|^of middleware/u;
    const told = [...Object.entries(LEFT_OUT), ...Object.entries(LEFT_OUT_TYPES)].flatMap(([why, names]) =>
      workings.test(why) ? [] : names,
    );
    expect(told.length).toBeGreaterThan(25);
    expect(told.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });

  it("each middleware has a subpath, a section and an example of the README, and a page", () => {
    const manifest = JSON.parse(read("middleware/package.json")) as { exports: Record<string, unknown> };
    const names = Object.keys(manifest.exports).map((path) => path.slice(2));
    const middlewares = names.filter((name) => !["", "package.json"].includes(name));
    expect(middlewares.length).toBeGreaterThan(20);
    const [readme, index] = [read("middleware/README.md"), read("../docs/middleware/README.md")];
    expect(middlewares.filter((name) => !readme.includes(`/${name}\``))).toEqual([]);
    const examples = [readme, read("../docs/presets/README.md")].flatMap((page) =>
      [...page.matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, code]) => code),
    );
    expect(
      middlewares.filter((name) => !examples.some((code) => code?.includes(`"@skein/middleware/${name}"`))),
    ).toEqual([]);
    const unnamed = middlewares.filter((name) => !index.includes(name));
    expect(unnamed).toEqual([]);
  });
});

function at(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

function read(path: string): string {
  return readFileSync(at(path), "utf8");
}
