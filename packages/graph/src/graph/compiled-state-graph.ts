import type { RunnableConfig } from "@langchain/core/runnables";
import type { StreamEvent } from "@langchain/core/tracers/log_stream";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import { CompiledGraph } from "../compiled/compiled.ts";
import { callsOf, type OwnCalls } from "../compiled/own-calls.ts";
import type {
  EventFilter,
  GraphDefaults,
  InvokeOptions,
  LangChainEventOptions,
  RunStreamOptions,
  StreamOptions,
} from "../compiled/options.ts";
import type { CompiledSettings } from "../compiled/prepare.ts";
import type { StreamOutput } from "../compiled/stream-types.ts";
import { type DrawOptions, draw, type Drawable, drawSlowly } from "../drawing/draw.ts";
import type { DrawableGraph } from "../drawing/drawable-graph.ts";
import type { Interrupt } from "../errors/signals.ts";
import type { START } from "../ids/names.ts";
import type { PregelNode } from "../pregel/pregel-node.ts";
import { nodesOf } from "../pregel/nodes-of.ts";
import { inRecordOrder } from "../program/record-order.ts";
import type { CommandInstance } from "../program/command.ts";
import type { Branch } from "../program/program.ts";
import type { StateDefinition } from "../state/annotation.ts";
import type { StateOf, UpdateOf } from "../state/definition.ts";
import type { GraphRunStream } from "../stream/events/run-stream.ts";
import type { InferExtensions, TransformerFactory } from "../stream/events/transformer.ts";
import type { StreamMode } from "../stream/modes.ts";
import type {
  InferInterruptInputType,
  InferInterruptResumeType,
  InferWriterType,
} from "../task/declared-types.ts";
import { isInterrupted } from "../task/interrupt.ts";
import type { NodeSpec } from "./compile.ts";
import type { CompileOptions } from "./compile-options.ts";
import type { ContextOf } from "./init.ts";

/** A command may write any key, an input those of its schema. */
type CallInput<I, U, N extends string, Interrupt> =
  | UpdateOf<I>
  | CommandInstance<Answer<Interrupt>, U & Record<string, unknown>, N>
  | null;

// oxlint-disable-next-line typescript/no-explicit-any -- whatever a graph asks that does not declare it
type Answer<Interrupt> = unknown extends Interrupt ? any : InferInterruptResumeType<Interrupt>;

/** What its builder has been told. */
type Structure = Omit<Drawable, "interruptBefore" | "interruptAfter">;

// oxlint-disable-next-line typescript/no-explicit-any -- what each node returns; to infer that doubles the cost of a graph's types
type Returned = any;

type Joined<Factories, Own extends readonly unknown[]> = Factories extends readonly unknown[]
  ? readonly [...Factories, ...Own]
  : Own;

/** What is known here of a `StateGraph`, which knows what it compiles to. */
export interface GraphBuilder<N extends string, Compiled> {
  readonly nodes: Record<string, NodeSpec>;
  readonly edges: Set<[string, string]>;
  readonly branches: Record<string, Record<string, Branch>>;
  compile(options?: CompileOptions<N>): Compiled;
}

/** A compiled StateGraph. */
export class CompiledStateGraph<
  S,
  U,
  N extends string = typeof START,
  I = StateDefinition,
  O = StateDefinition,
  C = unknown,
  Interrupts = unknown,
  Writer = unknown,
  // not only lists of factories: programs name `unknown` in the places that LangGraph has there
  Factories = readonly [],
> extends CompiledGraph {
  declare RunInput: UpdateOf<I>;
  declare RunOutput: StateOf<O>;
  declare NodeName: N;
  declare State: S;
  declare Update: U;
  // under LangGraph's names, by which its SDK types what clients are given
  declare "~InputType": UpdateOf<I>;
  declare "~OutputType": StateOf<O>;
  declare "~RunInput": U;
  declare "~RunOutput": S;
  declare "~NodeType": N;
  declare "~NodeReturnType": Record<N, Returned>;
  /** The builder that it was compiled from. */
  readonly builder: GraphBuilder<N, CompiledStateGraph<S, U, N, I, O, C, Interrupts, Writer, Factories>>;
  readonly description: string | undefined;

  readonly #structure: Structure;

  constructor(settings: CompiledSettings, structure: Structure, builder: unknown, description?: string) {
    super(settings);
    this.#structure = structure;
    this.builder = builder as never;
    this.description = description;
  }
  /** Its nodes, to try one alone: `graph.nodes["n"].invoke(state)` does what "n" does, and writes nothing. */
  get nodes(): Record<N | typeof START, PregelNode> {
    return nodesOf(this.program) as Record<N | typeof START, PregelNode>;
  }
  /** Keys of the state that streams and states show. */
  get streamChannelsList(): string[] {
    return [...this.program.visibleKeys];
  }
  get streamChannelsAsIs(): string[] {
    return this.streamChannelsList;
  }
  /** For programs that call it: `compile` has checked the graph. */
  validate(): this {
    return this;
  }
  protected override derive(settings: CompiledSettings): this {
    return new CompiledStateGraph(settings, this.#structure, this.builder, this.description) as this;
  }
  protected override get ownCalls(): OwnCalls {
    return OWN;
  }
  override withConfig(config: GraphDefaults): this {
    return super.withConfig(config);
  }
  override invoke<Mode extends StreamMode | StreamMode[] | undefined = undefined>(
    input: CallInput<I, U, N, Interrupts>,
    options?: InvokeOptions<Mode, boolean, ContextOf<C>, N>,
  ): Promise<
    // options of any mode, as in a variable, are those of a call that returns its output
    [undefined] extends [Mode]
      ? StateOf<O>
      : Mode extends "values"
        ? StateOf<O>
        : StreamOutput<Mode, false, S, Record<N, Returned>, InferWriterType<Writer>>[]
  > {
    return super.invoke(input, options as StreamOptions) as Promise<never>;
  }
  override async stream<
    Mode extends StreamMode | StreamMode[] | undefined = undefined,
    Subgraphs extends boolean = false,
    Encoding extends "text/event-stream" | undefined = undefined,
  >(
    input: CallInput<I, U, N, Interrupts>,
    options?: StreamOptions<Mode, Subgraphs, ContextOf<C>, N> & { encoding?: Encoding },
  ): Promise<
    IterableReadableStream<
      [Encoding] extends ["text/event-stream"]
        ? Uint8Array
        : StreamOutput<Mode, Subgraphs, S, Record<N, Returned>, InferWriterType<Writer>>
    >
  > {
    return super.stream(input, options as StreamOptions) as never;
  }
  override streamEvents(
    input: CallInput<I, U, N, Interrupts>,
    options: RunStreamOptions<readonly TransformerFactory[], ContextOf<C>, N> & {
      encoding: "text/event-stream";
    },
  ): Promise<IterableReadableStream<Uint8Array>>;
  override streamEvents<const Own extends readonly TransformerFactory[] = []>(
    input: CallInput<I, U, N, Interrupts>,
    options: RunStreamOptions<Own, ContextOf<C>, N> & { encoding?: undefined },
  ): Promise<GraphRunStream<StateOf<O>, InferExtensions<Joined<Factories, Own>>>>;
  override streamEvents(
    input: CallInput<I, U, N, Interrupts>,
    options: LangChainEventOptions,
    filter?: EventFilter,
  ): IterableReadableStream<StreamEvent>;
  override streamEvents(
    input: CallInput<I, U, N, Interrupts>,
    options: LangChainEventOptions & { encoding: "text/event-stream" },
    filter?: EventFilter,
  ): IterableReadableStream<Uint8Array>;
  override streamEvents(input: unknown, options: unknown, filter?: unknown) {
    return super.streamEvents(input, options as never, filter as never) as never;
  }
  /**
   * The graph as it can be drawn: `drawMermaid()`, `drawDot()`, `drawText()`.
   *
   * @param config - `xray` draws what is inside of nodes: all of it, or so many levels
   */
  override getGraph(config: RunnableConfig & DrawOptions = {}): DrawableGraph {
    return draw(this.#drawable, config);
  }
  /** The same, for graphs of which it takes time to know what is inside. */
  async getGraphAsync(config: RunnableConfig & DrawOptions = {}): Promise<DrawableGraph> {
    return drawSlowly(this.#drawable, config);
  }
  get #drawable(): Drawable {
    const { nodes, edges, branches } = this.#structure;
    const { interruptBefore, interruptAfter } = this.settings;
    return {
      nodes: inRecordOrder(nodes),
      edges,
      branches: inRecordOrder(branches),
      interruptBefore,
      interruptAfter,
    };
  }
  isInterrupted(
    values: unknown,
  ): values is { __interrupt__: Interrupt<InferInterruptInputType<Interrupts>>[] } {
    return isInterrupted(values);
  }
}

const OWN = callsOf(CompiledStateGraph);
