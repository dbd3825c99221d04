import { AIMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { Command, InMemoryStore, MemorySaver } from "@langchain/langgraph";
import {
  createAgent,
  createMiddleware,
  type HeadlessTool,
  type ModelRequest,
  tool,
  type ToolCallHandler,
  type ToolCallRequest,
  type WrapModelCallHandler,
  type WrapModelCallHook,
  type WrapToolCallHook,
} from "langchain";
import { z } from "zod";
import { add, model, spell } from "./kit.ts";

const Level = z.object({ level: z.number().default(0) });
const Role = z.object({ role: z.enum(["user", "admin"]) });

/** Tools and models that depend on the call. */
const choosing = createMiddleware({
  name: "choosing",
  stateSchema: Level,
  contextSchema: Role,
  tools: [spell],
  wrapModelCall: async (request, handler) => {
    const { role } = request.runtime.context;
    const tools = role === "admin" ? request.tools : request.tools.filter(({ name }) => name !== "spell");
    const other = request.state.level > 3 ? model : request.model;
    const systemMessage = request.systemMessage.concat(" Be brief.");
    const reply = await handler({ ...request, model: other, tools, toolChoice: "auto", systemMessage });
    return reply.text === "" ? new AIMessage("nothing") : reply;
  },
  wrapToolCall: async (request, handler) => {
    const { name, id = "", args } = request.toolCall;
    if (name === "spell" && request.tool === undefined) return handler({ ...request, tool: spell });
    try {
      return await handler({ ...request, toolCall: { ...request.toolCall, args: { ...args, more: 1 } } });
    } catch (error) {
      return new ToolMessage({ content: String(error), tool_call_id: id });
    }
  },
});
const commanding = createMiddleware({
  name: "commanding",
  wrapModelCall: () => new Command({ update: { messages: [] } }),
  wrapToolCall: ({ toolCall }) => new Command({ goto: toolCall.name }),
});

const prompting: WrapModelCallHook = (request, handler) => handler({ ...request, systemPrompt: "Be kind." });
const passing: WrapToolCallHook = (request, handler) => handler(request);
const typed: WrapModelCallHook<typeof Level, { role: string }> = (request, handler) => {
  [request.state.level, request.runtime.context.role] satisfies [number, string];
  return handler(request);
};
async function asked(request: ModelRequest, handler: WrapModelCallHandler): Promise<AIMessage> {
  request.state["level"] satisfies unknown;
  return handler({ ...request, systemMessage: new SystemMessage("Be kind.") });
}
const nameOf = ({ toolCall, state }: ToolCallRequest): string => `${toolCall.name} ${state["level"]}`;
const run = (request: Parameters<ToolCallHandler>[0], handler: ToolCallHandler) => handler(request);
const apart = [
  createMiddleware({ name: "prompting", wrapModelCall: prompting, wrapToolCall: passing }),
  createMiddleware({ name: "asked", wrapModelCall: asked, wrapToolCall: run }),
  createMiddleware({ name: "within", wrapModelCall: (request, handler) => asked(request, handler) }),
  createMiddleware({
    name: "named",
    wrapToolCall: (request, handler) => (nameOf(request) === "" ? handler(request) : handler(request)),
  }),
] as const;

const noted = tool(
  (_input, { toolCallId }: { toolCallId: string }) =>
    new Command({ update: { messages: [new ToolMessage({ content: "noted", tool_call_id: toolCallId })] } }),
  { name: "note", description: "Notes", schema: z.object({}) },
);

const Exact = z.object({ exact: z.boolean().default(false) });
const where: HeadlessTool<typeof Exact, "where"> = tool({
  name: "where",
  description: "Tells where the user is",
  schema: Exact,
});
/** What a client runs for it. */
export const telling = where.implement(async ({ exact }) => ((exact satisfies boolean) ? 1 : 100));

export async function calls(): Promise<unknown[]> {
  const agent = createAgent({
    model,
    tools: [add, noted, where, { type: "web_search", name: "web_search" }],
    middleware: [choosing, commanding, ...apart],
    name: "caller",
    systemPrompt: new SystemMessage("Be kind."),
    checkpointer: new MemorySaver(),
    store: new InMemoryStore(),
    version: "v1",
    includeAgentName: "inline",
  });
  const thread = { configurable: { thread_id: "1" }, context: { role: "admin" as const } };
  const { messages, __interrupt__: asks } = await agent.invoke({ messages: "hi" }, thread);
  const last = messages.at(-1);
  const made = messages.filter((one) => AIMessage.isInstance(one)).flatMap((one) => one.tool_calls ?? []);
  const names: string[] = made.map(({ name }) => name);
  const said = AIMessage.isInstance(last) ? last.text : "";
  agent.checkpointer = new MemorySaver();
  await agent.withConfig({ recursionLimit: 9 }).invoke({ messages: "hi" }, thread);
  const { messages: inGraph } = await agent.graph.invoke({ messages: [] });
  return [asks?.[0]?.value, asks?.[0]?.id, names, said, agent.options.name, inGraph.length, typed];
}

export function notCalls(): void {
  // @ts-expect-error -- without a schema
  tool({ name: "where", description: "Tells where the user is" });
  // @ts-expect-error -- no reply
  createMiddleware({ name: "a", wrapModelCall: () => "text" });
  // @ts-expect-error -- no request
  createMiddleware({ name: "b", wrapModelCall: (_request, handler) => handler() });
  // @ts-expect-error -- no tools
  createMiddleware({ name: "c", wrapModelCall: (request, handler) => handler({ ...request, tools: 3 }) });
  // @ts-expect-error -- no model
  createMiddleware({ name: "d", wrapModelCall: (request, handler) => handler({ ...request, model: 3 }) });
  // @ts-expect-error -- no result
  createMiddleware({ name: "e", wrapToolCall: () => new AIMessage("text") });
  createMiddleware({
    name: "f",
    wrapToolCall: (request, handler) => {
      // @ts-expect-error -- no key of it
      void request.nothing;
      return handler(request);
    },
  });
  // @ts-expect-error -- no tools
  createMiddleware({ name: "g", tools: [3] });
  // @ts-expect-error -- no tools
  createAgent({ model, tools: ["add"] });
  // @ts-expect-error -- no list
  createAgent({ model, tools: add });
  // @ts-expect-error -- no model
  createAgent({ model: 3 });
  // @ts-expect-error -- no system message
  createAgent({ model, systemPrompt: new AIMessage("Be kind.") });
  // @ts-expect-error -- no option
  createAgent({ model, prompt: "Be kind." });
  // @ts-expect-error -- no version
  createAgent({ model, version: "v3" });
  // @ts-expect-error -- without a model
  createAgent({ tools: [] });
}
