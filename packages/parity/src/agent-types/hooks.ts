import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { Annotation, ReducedValue, StateSchema } from "@langchain/langgraph";
import {
  type AfterModelHook,
  type AgentMiddleware,
  type AnyAgentMiddleware,
  type BeforeAgentHook,
  type BeforeModelHook,
  createAgent,
  createMiddleware,
  type JumpToTarget,
  type MiddlewareResult,
  type Runtime,
} from "langchain";
import { z } from "zod";
import { model } from "./kit.ts";

const Counted = z.object({ rounds: z.number().default(0), _began: z.number().optional() });
const Caller = z.object({ user: z.string() });
const counting = createMiddleware({
  name: "counting",
  stateSchema: Counted,
  beforeAgent: ({ rounds, _began, messages }) => {
    [rounds, _began, messages] satisfies [number, number | undefined, BaseMessage[]];
    return { _began: 1 };
  },
  beforeModel: {
    canJumpTo: ["end"],
    hook: async ({ rounds }, runtime) => {
      runtime.signal?.throwIfAborted();
      return rounds > 3 ? { jumpTo: "end" } : { rounds: rounds + 1 };
    },
  },
  afterModel: () => ({ messages: [new AIMessage("noted")], rounds: 1 }),
  afterAgent: async ({ structuredResponse }) => {
    console.log(structuredResponse?.["city"]);
  },
});
const quiet = createMiddleware({ name: "quiet", beforeModel: () => {}, afterModel: async () => undefined });
const annotated = createMiddleware({
  name: "annotated",
  stateSchema: Annotation.Root({
    seen: Annotation<string[], string>({ reducer: (all, one) => [...all, one], default: () => [] }),
  }),
  beforeModel: ({ seen }) => (seen.length > 9 ? undefined : { seen: "one" }),
});
const noting = createMiddleware({
  name: "noting",
  stateSchema: new StateSchema({
    notes: new ReducedValue(
      z.array(z.string()).default(() => []),
      { inputSchema: z.string(), reducer: (all: string[], one: string) => [...all, one] },
    ),
  }),
  beforeModel: ({ notes }) => ({ notes: `${notes.length}` }),
});
const clearing = createMiddleware({
  name: "clearing",
  beforeModel: ({ messages: [first] }) => ({
    messages: [new RemoveMessage({ id: first?.id ?? "" }), new HumanMessage("again")],
  }),
});
const written = createMiddleware<typeof Counted, typeof Caller>({
  name: "written",
  stateSchema: Counted,
  contextSchema: Caller,
  beforeModel: ({ rounds }, { context }) => (context.user === "" ? undefined : { rounds: rounds + 1 }),
});

const target: JumpToTarget = "model";
function asking(state: { messages: BaseMessage[] }, _runtime: Runtime): MiddlewareResult<object> {
  return state.messages.length > 3 ? { jumpTo: target } : undefined;
}
const greet: BeforeModelHook<typeof Counted, { user: string }> = ({ rounds }, { context }) => ({
  rounds: rounds + context.user.length,
});
const ending: AfterModelHook<typeof Counted> = {
  hook: ({ rounds }) => ({ rounds, jumpTo: "end" }),
  canJumpTo: ["end"],
};
const nothing: BeforeAgentHook = () => undefined;
const apart = [
  createMiddleware({ name: "asking", beforeModel: asking }),
  createMiddleware({ name: "greeting", stateSchema: Counted, contextSchema: Caller, beforeModel: greet }),
  createMiddleware({ name: "ending", stateSchema: Counted, afterModel: ending }),
  createMiddleware({ name: "nothing", beforeAgent: nothing }),
] as const;

function limiting(limit: number): AgentMiddleware {
  return createMiddleware({
    name: "limiting",
    stateSchema: z.object({ calls: z.number() }),
    beforeModel: (state) => (state.calls > limit ? { jumpTo: "end" } : undefined),
  });
}
const literal: AgentMiddleware = { name: "literal", beforeModel: () => ({ jumpTo: "end" }) };
const chosen = (all: boolean): AnyAgentMiddleware[] => (all ? [limiting(3), literal] : []);

export async function hooks(): Promise<unknown[]> {
  const agent = createAgent({
    model,
    middleware: [counting, quiet, annotated, noting, clearing, written, ...apart],
  });
  const { rounds, seen, notes } = await agent.invoke(
    { messages: "hi", seen: "one", notes: "two", rounds: 3 },
    { context: { user: "ada" } },
  );
  const loose = createAgent({ model, middleware: [counting, limiting(3), ...chosen(true)] });
  const all = createAgent({ model, middleware: chosen(false) });
  return [
    [rounds, seen, notes] satisfies [number, string[], string[]],
    (await loose.invoke({ messages: "hi" })).messages satisfies BaseMessage[],
    (await all.invoke({ messages: "hi" })).messages satisfies BaseMessage[],
  ];
}

export async function notTheirState(): Promise<void> {
  const agent = createAgent({ model, middleware: [counting, limiting(3)] });
  const state = await agent.invoke({ messages: "hi" });
  // @ts-expect-error -- its own
  void state._began;
  // @ts-expect-error -- no key of it
  void state.nothing;
  // @ts-expect-error -- a number
  state.rounds satisfies string;
  // @ts-expect-error -- a number
  await agent.invoke({ messages: "hi", rounds: "three" });
}

export function notHooks(): void {
  // @ts-expect-error -- a number
  createMiddleware({ name: "a", stateSchema: Counted, beforeModel: () => ({ rounds: "three" }) });
  // @ts-expect-error -- nowhere
  createMiddleware({ name: "b", beforeModel: () => ({ jumpTo: "nowhere" }) });
  // @ts-expect-error -- nowhere
  createMiddleware({ name: "c", beforeModel: { canJumpTo: ["nowhere"], hook: () => undefined } });
  // @ts-expect-error -- no hook
  createMiddleware({ name: "d", beforeModel: { canJumpTo: ["end"] } });
  // @ts-expect-error -- no update
  createMiddleware({ name: "e", beforeModel: () => "text" });
  // @ts-expect-error -- no update
  createMiddleware({ name: "f", beforeModel: () => [] });
  // @ts-expect-error -- no messages
  createMiddleware({ name: "g", beforeModel: () => ({ messages: 3 }) });
  // @ts-expect-error -- no schema
  createMiddleware({ name: "h", stateSchema: 3 });
  // @ts-expect-error -- without a name
  createMiddleware({ beforeModel: () => undefined });
  // @ts-expect-error -- no hook of a middleware
  createMiddleware({ name: "i", beforeModdel: () => undefined });
  // @ts-expect-error -- another state
  createMiddleware({ name: "j", stateSchema: Caller, beforeModel: greet });
  // @ts-expect-error -- no key of it
  void ({ nothing: 3 } satisfies MiddlewareResult<{ rounds?: number }>);
  // @ts-expect-error -- no middleware
  createAgent({ model, middleware: [3] });
  // @ts-expect-error -- no list
  createAgent({ model, middleware: counting });
}
