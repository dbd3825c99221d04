import { ToolMessage } from "@langchain/core/messages";
import { thrownMessage } from "@skein/errors";
import {
  type NativeStreamTransformer,
  StreamChannel,
  type ToolCallStatus,
  type ToolCallStream,
  type ToolsEventData,
} from "@skein/graph";

/** How a call of a tool ended. */
type Ending =
  | { readonly status: "finished"; readonly output: unknown }
  | { readonly status: "error"; readonly error: unknown; readonly message: string };

type Finish = (ending: Ending) => void;

/**
 * Makes the view `run.toolCalls` of the graph or the agent at a path, `[]` for the one that is run: the
 * events of its tools, gathered into one stream per call. Agents have it; this is for graphs of your own.
 *
 * @example
 * const graph = builder.compile({ transformers: [createToolCallTransformer([])] });
 */
export function createToolCallTransformer(
  path: readonly string[],
): () => NativeStreamTransformer<{ toolCalls: StreamChannel<ToolCallStream> }> {
  return () => gathering(path);
}

function gathering(
  path: readonly string[],
): NativeStreamTransformer<{ toolCalls: StreamChannel<ToolCallStream> }> {
  const toolCalls = StreamChannel.local<ToolCallStream>();
  const open = new Map<string, Finish>();
  const endAll = (ending: Ending): void => {
    for (const finish of open.values()) finish(ending);
    open.clear();
  };
  return {
    __native: true,
    init: () => ({ toolCalls }),
    process({ method, params }) {
      if (method !== "tools" || !isOwn(params.namespace, path)) return true;
      const data = params.data as ToolsEventData;
      const { tool_call_id: id } = data;
      if (data.event === "tool-started" && !open.has(id)) {
        const [call, finish] = begun(id, data.tool_name, data.input);
        open.set(id, finish);
        toolCalls.push(call);
      }
      const ending = endingOf(data);
      if (ending === undefined) return true;
      open.get(id)?.(ending);
      open.delete(id);
      return true;
    },
    finalize() {
      endAll({ status: "finished", output: undefined });
      toolCalls.close();
    },
    fail(error) {
      endAll({ status: "error", error, message: thrownMessage(error) });
      toolCalls.fail(error);
    },
  };
}

/** The events of an agent are those of its graph and of its nodes; what is deeper is another agent's. */
function isOwn(namespace: readonly string[], path: readonly string[]): boolean {
  const depth = namespace.length - path.length;
  return (depth === 0 || depth === 1) && path.every((segment, at) => segment === namespace[at]);
}

function begun(callId: string, name: string, input: unknown): [ToolCallStream, Finish] {
  const settle: { resolve?: (ending: Ending) => void } = {};
  const ended = new Promise<Ending>((resolve) => (settle.resolve = resolve));
  const output = ended.then((ending) => {
    if (ending.status === "error") throw ending.error;
    return ending.output;
  });
  // whoever waits for it learns why it fails; if nobody does, it is no unhandled rejection
  output.catch(() => undefined);
  const status = ended.then((ending): ToolCallStatus => ending.status);
  const error = ended.then((ending) => (ending.status === "error" ? ending.message : undefined));
  const call = { name, callId, input: parsed(input), output, status, error };
  return [call, (ending) => settle.resolve?.(ending)];
}

function endingOf(data: ToolsEventData): Ending | undefined {
  if (data.event === "tool-finished") return { status: "finished", output: contentOf(data.output) };
  // a tool that asks is not done: it runs again when it is answered
  if (data.event !== "tool-error" || isQuestion(data.message)) return undefined;
  return { status: "error", error: new Error(data.message), message: data.message };
}

/** Whether an error's text is that of an interrupt: the list of what is asked. */
function isQuestion(message: string): boolean {
  const asked = jsonOf(message);
  if (!Array.isArray(asked) || asked.length === 0) return false;
  return (asked as unknown[]).every((one) => {
    const { id } = (one ?? {}) as { id?: unknown };
    return typeof id === "string" && "value" in (one as object);
  });
}

function contentOf(output: unknown): unknown {
  return ToolMessage.isInstance(output) ? output.content : output;
}

/** LangChain tells of a call's input as text. */
function parsed(input: unknown): unknown {
  return typeof input === "string" ? (jsonOf(input) ?? input) : input;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
