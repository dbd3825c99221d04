import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import { segments } from "../ids/namespace.ts";
import { TAG_HIDDEN } from "../ids/names.ts";
import type { StreamChunk } from "./modes.ts";

interface ToolRun {
  readonly namespace: readonly string[];
  readonly toolCallId: string | undefined;
  readonly name: string;
}

/** Mode "tools": when tools that nodes call begin, report something, end or fail. */
export class ToolsHandler extends BaseCallbackHandler {
  name = "StreamToolsHandler";
  /** What a tool did is told before its caller hears of it. */
  override awaitHandlers = true;
  readonly #push: (chunk: StreamChunk) => void;
  readonly #runs = new Map<string, ToolRun>();

  constructor(push: (chunk: StreamChunk) => void) {
    super();
    this.#push = push;
  }
  override handleToolStart(
    _tool: Serialized,
    input: string,
    runId: string,
    _parent?: string,
    tags?: string[],
    metadata?: Record<string, unknown>,
    runName?: string,
    toolCallId?: string,
  ): void {
    if (metadata === undefined || tags?.includes(TAG_HIDDEN)) return;
    const namespace = metadata["langgraph_checkpoint_ns"];
    this.#runs.set(runId, {
      namespace: typeof namespace === "string" ? segments(namespace) : [],
      toolCallId,
      name: runName ?? "unknown",
    });
    this.#tell(runId, "on_tool_start", { input });
  }
  override handleToolEvent(chunk: unknown, runId: string): void {
    this.#tell(runId, "on_tool_event", { data: chunk });
  }
  override handleToolEnd(output: unknown, runId: string): void {
    this.#tell(runId, "on_tool_end", { output });
    this.#runs.delete(runId);
  }
  override handleToolError(error: unknown, runId: string): void {
    this.#tell(runId, "on_tool_error", { error });
    this.#runs.delete(runId);
  }
  #tell(runId: string, event: string, more: Record<string, unknown>): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    const { namespace, toolCallId, name } = run;
    this.#push([namespace, "tools", { event, toolCallId, name, ...more }]);
  }
}
