import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";
import { linesOf } from "../src/compiling.ts";

const parity = resolve(import.meta.dirname, "..");
const graph = resolve(parity, "../graph/src");
const langchain = join(parity, "node_modules/langchain/dist");
/** In the package, so that its modules are found from there. */
const folder = mkdtempSync(join(parity, "node_modules/.types-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What `@langchain/langgraph` is under the alias. */
const ALIAS = {
  "@langchain/langgraph": [join(graph, "index.ts")],
  "@langchain/langgraph/web": [join(graph, "web.ts")],
  "@langchain/langgraph/prebuilt": [join(graph, "prebuilt.ts")],
  "@langchain/langgraph/channels": [join(graph, "channels/index.ts")],
  "@langchain/langgraph/zod": [join(graph, "zod.ts")],
};

/** A program of somebody who has never heard of Skein. */
const PROGRAM = `
import { MemorySaver, StateGraph, StateSchema, MessagesValue, ReducedValue, START, Command } from "@langchain/langgraph";
import { createAgent, createMiddleware, humanInTheLoopMiddleware, summarizationMiddleware, tool, toolStrategy } from "langchain";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { z } from "zod";

const model = new FakeListChatModel({ responses: ["hi"] });
const add = tool(({ a, b }) => a + b, { name: "add", description: "adds", schema: z.object({ a: z.number(), b: z.number() }) });
const counting = createMiddleware({
  name: "counting",
  stateSchema: z.object({ rounds: z.number().default(0), _secret: z.string().optional() }),
  contextSchema: z.object({ user: z.string() }),
  beforeModel: { canJumpTo: ["end"], hook: (state, runtime) => {
    const user: string = runtime.context.user;
    return state.rounds > 3 && user !== "" ? { jumpTo: "end" as const } : { rounds: state.rounds + 1 };
  } },
  wrapModelCall: (request, handler) => handler({ ...request, systemPrompt: String(request.state.rounds) }),
  wrapToolCall: (request, handler) => handler(request),
});
export const agent = createAgent({
  model,
  tools: [add],
  stateSchema: new StateSchema({ notes: new ReducedValue(z.array(z.string()).default(() => []), { reducer: (a, b) => [...a, ...b] }) }),
  middleware: [
    counting,
    humanInTheLoopMiddleware({ interruptOn: { add: true } }),
    summarizationMiddleware({ model, trigger: { messages: 9 }, keep: { messages: 3 } }),
  ] as const,
  responseFormat: toolStrategy(z.object({ sum: z.number() })),
  checkpointer: new MemorySaver(),
});
export async function main(): Promise<void> {
  const result = await agent.invoke({ messages: "hi", notes: ["x"] }, { context: { user: "ada" } });
  const rounds: number = result.rounds;
  const sum: number = result.structuredResponse.sum;
  const notes: string[] = result.notes;
  // @ts-expect-error private keys stay private
  result._secret;
  await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), { context: { user: "ada" } });
  for await (const [message] of await agent.stream({ messages: "hi" }, { streamMode: "messages", context: { user: "ada" } })) console.log(message.text, rounds, sum, notes);
  const parent = new StateGraph(new StateSchema({ messages: MessagesValue })).addNode("agent", agent.graph).addEdge(START, "agent").compile();
  console.log((await parent.invoke({ messages: [] })).messages.length);
}
`;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  types: ["node"],
  allowImportingTsExtensions: true,
  customConditions: ["@skein/source"],
};

/** What the compiler says of langchain's declarations, and of the program, in one line each. */
function complaints(
  name: string,
  paths: Record<string, string[]>,
): { readonly files: number; said: string[] } {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, PROGRAM);
  const program = ts.createProgram([file], { ...OPTIONS, paths });
  const looked = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName === file || /\/langchain(?:@[^/]+)?\/.*dist\//.test(fileName))
    .filter(({ fileName }) => fileName === file || ts.sys.realpath?.(fileName).includes("/langchain/dist/"));
  const said = looked.flatMap((one) => [
    ...program.getSyntacticDiagnostics(one),
    ...program.getSemanticDiagnostics(one),
  ]);
  return { files: looked.length, said: linesOf(said, langchain, "langchain") };
}

describe("langchain's own declarations, with skipLibCheck: false", () => {
  it("compile on LangGraph, and a program that uses them: the check is one", () => {
    const { files, said } = complaints("there", {});
    expect(files).toBeGreaterThan(30);
    expect(said).toEqual([]);
  });

  it("compile against our types under the alias, and so does the program", () => {
    const { files, said } = complaints("here", ALIAS);
    expect(files).toBeGreaterThan(30);
    expect(said).toEqual([]);
  });
});
