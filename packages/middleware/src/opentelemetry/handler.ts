import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import type { BaseMessage } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { SpanKind, type Tracer } from "@opentelemetry/api";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { START } from "@skein/graph";
import {
  asContent,
  asResult,
  graphAttributes,
  modelAttributes,
  replyAttributes,
  replyOf,
  runAttributes,
  taskAttributes,
  toolAttributes,
  usageOf,
} from "./attributes.ts";
import { compactionOf } from "./compaction.ts";
import { Spans } from "./spans.ts";

export interface OpenTelemetryOptions {
  /** Makes the spans. Default: one of the provider that is registered, also when that is done later. */
  tracer?: Tracer;
  /**
   * Whether the spans hold what was said: prompts, replies, arguments and results of tools. Default:
   * false, because traces are read by others than conversations.
   */
  recordContent?: boolean;
}

/** The kind of every option. */
export const OPTIONS: Readonly<Record<keyof OpenTelemetryOptions, OptionKind>> = {
  tracer: "object",
  recordContent: "boolean",
};

type Metadata = Record<string, unknown>;

/** In the tags of a node's run, in LangGraph and here. */
const STEP = /^graph:step:(\d+)$/;

/**
 * Turns LangChain's callbacks into OpenTelemetry spans: `invoke_agent` for a run of a graph, below it
 * `step N`, `task NODE`, and within a task `chat MODEL`, `execute_tool TOOL` and `compaction`. The
 * span that is active where the run begins is the parent of all.
 *
 * @example
 * await graph.invoke(input, { callbacks: [new OpenTelemetryHandler()] });
 */
export class OpenTelemetryHandler extends BaseCallbackHandler {
  readonly name = "OpenTelemetryHandler";
  // within the call itself: the active span of the caller is the parent, and times are true
  override awaitHandlers = true;
  readonly #spans: Spans;
  readonly #recordContent: boolean;

  constructor(options: OpenTelemetryOptions = {}) {
    requireKnownOptions("OpenTelemetryHandler", options, OPTIONS);
    const { tracer, recordContent = false } = options;
    super();
    this.#spans = new Spans(tracer);
    this.#recordContent = recordContent;
  }
  /** Holds what is open, so there is one of it. */
  override copy(): BaseCallbackHandler {
    return this;
  }

  // the order in which LangChain passes them; its declaration names the fourth and the eighth the other way round
  override handleChainStart(
    chain: Serialized,
    inputs: Record<string, unknown>,
    runId: string,
    parentRunId?: string,
    tags: string[] = [],
    metadata: Metadata = {},
    _runType?: string,
    runName = "chain",
  ): void {
    // it writes the input of a graph and does nothing
    if (runName === START) return;
    // the choice of a conditional edge
    if (runName === "RunnableLambda") return this.#spans.pass(runId, parentRunId);
    const step = tags.map((tag) => STEP.exec(tag)?.[1]).find((number) => number !== undefined);
    if (step === undefined) {
      const isGraph = chain.id[0] === "langgraph" && chain.id[1] === "pregel";
      this.#spans.begin({
        kind: isGraph ? "graph" : "chain",
        runId,
        parentRunId,
        spanName: isGraph ? graphName(runName) : runName,
        attributes: isGraph ? graphAttributes(metadata) : runAttributes(metadata),
      });
      return;
    }
    this.#spans.begin({
      kind: "task",
      runId,
      parentRunId,
      spanName: `task ${runName}`,
      attributes: taskAttributes(runName, metadata),
      input: inputs,
      step: Number(step),
    });
  }
  override handleChainEnd(outputs: Record<string, unknown>, runId: string): void {
    const run = this.#spans.get(runId);
    if (run?.kind === "task") {
      const compaction = compactionOf(run.input, outputs);
      if (compaction !== undefined) this.#spans.within(run, "compaction", compaction);
    }
    this.#spans.end(runId);
  }
  override handleChainError(error: unknown, runId: string): void {
    this.#spans.end(runId, {}, error);
  }

  override handleChatModelStart(
    llm: Serialized,
    messages: BaseMessage[][],
    runId: string,
    parentRunId?: string,
    _extra?: Record<string, unknown>,
    _tags?: string[],
    metadata: Metadata = {},
  ): void {
    this.#model(llm, runId, parentRunId, metadata, () => asContent(messages.flat()));
  }
  override handleLLMStart(
    llm: Serialized,
    prompts: string[],
    runId: string,
    parentRunId?: string,
    _extra?: Record<string, unknown>,
    _tags?: string[],
    metadata: Metadata = {},
  ): void {
    this.#model(llm, runId, parentRunId, metadata, () => JSON.stringify(prompts));
  }
  #model(
    llm: Serialized,
    runId: string,
    parentRunId: string | undefined,
    metadata: Metadata,
    content: () => string,
  ): void {
    const name = String(metadata["ls_model_name"] ?? llm.id.at(-1) ?? "model");
    this.#spans.begin({
      kind: "model",
      runId,
      parentRunId,
      spanName: `chat ${name}`,
      spanKind: SpanKind.CLIENT,
      attributes: {
        ...modelAttributes(metadata),
        ...(this.#recordContent ? { "gen_ai.input.messages": content() } : {}),
      },
    });
  }
  override handleLLMEnd(output: LLMResult, runId: string): void {
    const reply = replyOf(output);
    if (reply === undefined) return this.#spans.end(runId);
    const { input_tokens = 0, output_tokens = 0 } = usageOf(reply) ?? {};
    for (let run = this.#spans.get(runId); run !== undefined; run = run.parent) {
      run.tokens.input += input_tokens;
      run.tokens.output += output_tokens;
    }
    const content = this.#recordContent ? { "gen_ai.output.messages": asContent([reply]) } : {};
    this.#spans.end(runId, { ...replyAttributes(reply), ...content });
  }
  override handleLLMError(error: unknown, runId: string): void {
    this.#spans.end(runId, {}, error);
  }

  override handleToolStart(
    tool: Serialized,
    input: string,
    runId: string,
    parentRunId?: string,
    _tags?: string[],
    _metadata?: Metadata,
    runName?: string,
    callId?: string,
  ): void {
    const name = runName ?? tool.id.at(-1) ?? "tool";
    this.#spans.begin({
      kind: "tool",
      runId,
      parentRunId,
      spanName: `execute_tool ${name}`,
      attributes: {
        ...toolAttributes(name, callId),
        ...(this.#recordContent ? { "gen_ai.tool.call.arguments": input } : {}),
      },
    });
  }
  override handleToolEnd(output: unknown, runId: string): void {
    this.#spans.end(runId, this.#recordContent ? { "gen_ai.tool.call.result": asResult(output) } : {});
  }
  override handleToolError(error: unknown, runId: string): void {
    this.#spans.end(runId, {}, error);
  }
}

/** A graph that nobody named has the name of its kind. */
const graphName = (name: string): string => (name === "LangGraph" ? "invoke_agent" : `invoke_agent ${name}`);
