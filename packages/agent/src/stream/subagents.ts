import {
  type ChatModelStream,
  createMessagesTransformer,
  type LifecycleCause,
  type NativeStreamTransformer,
  type ProtocolEvent,
  StreamChannel,
  type StreamTransformer,
} from "@skein/graph";
import type { AgentTool } from "../model/request.ts";
import type { ToolCallStreamUnion } from "../tools/types.ts";
import { createToolCallTransformer } from "./tool-calls.ts";

/** An agent with a name that another one calls, while it runs. */
export interface SubagentRunStream<
  TValues = Record<string, unknown>,
  TTools extends readonly AgentTool[] = readonly AgentTool[],
> {
  readonly name: string;
  /** The call of the tool that called it, where a tool did. */
  readonly cause: LifecycleCause | undefined;
  /** Its last state. Rejects when it fails. */
  readonly output: Promise<TValues>;
  readonly messages: AsyncIterable<Omit<ChatModelStream, "then">>;
  readonly toolCalls: AsyncIterable<ToolCallStreamUnion<TTools>>;
  readonly subagents: AsyncIterable<SubagentRunStream>;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Makes the view `run.subagents`: the agents with a name that nodes and tools of the graph or agent at a
 * path call. Agents have it; this is for graphs of your own.
 *
 * @example
 * const graph = builder.compile({ transformers: [createSubagentTransformer()] });
 */
export function createSubagentTransformer(
  scope: readonly string[] = [],
): () => NativeStreamTransformer<{ subagents: StreamChannel<SubagentRunStream> }> {
  return () => finding(scope);
}

function finding(
  scope: readonly string[],
): NativeStreamTransformer<{ subagents: StreamChannel<SubagentRunStream> }> {
  const subagents = StreamChannel.local<SubagentRunStream>();
  const running = new Map<string, Subagent>();
  /** Namespaces whose first task was seen: what it says of its agent counts. */
  const known = new Set<string>();
  /** The tool that began last, by the namespace of its task. */
  const tools = new Map<string, string>();

  const noteTask = (path: readonly string[], data: Fields): void => {
    const key = keyOf(path);
    if (known.has(key)) return;
    known.add(key);
    const { lc_agent_name: name } = fieldsOf(data["metadata"]);
    if (typeof name !== "string" || name === "" || !isBelow(path, scope, 1)) return;
    const call = tools.get(key);
    const cause = call === undefined ? undefined : ({ type: "toolCall", tool_call_id: call } as const);
    const subagent = new Subagent(path, name, cause);
    running.set(key, subagent);
    subagents.push(subagent.stream);
  };
  const endAll = (end: (subagent: Subagent) => void): void => {
    for (const subagent of running.values()) end(subagent);
    running.clear();
  };

  return {
    __native: true,
    init: () => ({ subagents }),
    process(event) {
      const { namespace } = event.params;
      const data = fieldsOf(event.params.data);
      if (event.method === "tools" && data["event"] === "tool-started" && data["tool_call_id"] !== "")
        tools.set(keyOf(namespace), String(data["tool_call_id"]));
      if (event.method === "tasks" && !("result" in data)) noteTask(namespace, data);
      for (const [key, subagent] of running) if (subagent.process(event)) running.delete(key);
      return true;
    },
    finalize() {
      endAll((subagent) => subagent.finish());
      subagents.close();
    },
    fail(error) {
      endAll((subagent) => subagent.fail(error));
      subagents.fail(error);
    },
  };
}

class Subagent {
  readonly stream: SubagentRunStream;
  readonly #path: readonly string[];
  readonly #views: readonly StreamTransformer[];
  readonly #settle: { resolve?: (state: unknown) => void; reject?: (error: unknown) => void } = {};
  #state: unknown;

  constructor(path: readonly string[], name: string, cause: LifecycleCause | undefined) {
    this.#path = path;
    const messages = createMessagesTransformer(path);
    const toolCalls = createToolCallTransformer(path)();
    const subagents = createSubagentTransformer(path)();
    this.#views = [messages, toolCalls, subagents];
    const output = new Promise<Fields>((resolve, reject) => {
      Object.assign(this.#settle, { resolve, reject });
    });
    // whoever waits for it learns why it fails; if nobody does, it is no unhandled rejection
    output.catch(() => undefined);
    const views = { ...messages.init(), ...toolCalls.init(), ...subagents.init() };
    this.stream = { name, cause, output, ...views };
  }
  /** Whether it has ended. */
  process(event: ProtocolEvent): boolean {
    const { namespace, data } = event.params;
    if (!isBelow(namespace, this.#path)) return false;
    for (const view of this.#views) view.process(event);
    if (namespace.length > this.#path.length) return false;
    if (event.method === "values") this.#state = data;
    const status = event.method === "lifecycle" ? fieldsOf(data)["event"] : undefined;
    if (status === "failed") this.#end(() => this.#settle.reject?.(new Error(`${this.stream.name} failed.`)));
    else if (status === "completed" || status === "interrupted") this.finish();
    else return false;
    return true;
  }
  finish(): void {
    this.#end(() => this.#settle.resolve?.(this.#state));
  }
  fail(error: unknown): void {
    this.#end(() => this.#settle.reject?.(error));
  }
  #end(settle: () => void): void {
    settle();
    for (const view of this.#views) void view.finalize?.();
  }
}

const keyOf = (namespace: readonly string[]): string => namespace.join("\0");

/** @param by - how far; default: any distance, none included */
function isBelow(namespace: readonly string[], path: readonly string[], by?: number): boolean {
  const distance = namespace.length - path.length;
  return (
    (by === undefined ? distance >= 0 : distance === by) && path.every((one, at) => one === namespace[at])
  );
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
