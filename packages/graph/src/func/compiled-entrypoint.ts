import type { RunnableConfig } from "@langchain/core/runnables";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import { CompiledGraph } from "../compiled/compiled.ts";
import { callsOf, type OwnCalls } from "../compiled/own-calls.ts";
import type { GraphDefaults, InvokeOptions, StreamOptions } from "../compiled/options.ts";
import type { CompiledSettings } from "../compiled/prepare.ts";
import type { StreamOutput } from "../compiled/stream-types.ts";
import { END } from "../ids/names.ts";
import { nodesOf } from "../pregel/nodes-of.ts";
import type { PregelNode } from "../pregel/pregel-node.ts";
import type { CommandInstance } from "../program/command.ts";
import type { StreamMode } from "../stream/modes.ts";

/** A new input; null to go on where the thread stands; a Command to resume. */
export type EntrypointInput<Input> = Input | CommandInstance | null;

// oxlint-disable-next-line typescript/no-explicit-any -- what the function and its tasks return
type Written = any;

/** An entrypoint that can be called. Its state is the value that it returned last. */
export class CompiledEntrypoint<Input = unknown, Output = unknown> extends CompiledGraph {
  declare RunInput: Input;
  declare RunOutput: Output;
  // under LangGraph's names, by which its SDK types what clients are given
  declare "~InputType": Input;
  declare "~OutputType": Output;

  /** Its function by its name, to try it alone: `workflow.nodes["name"].invoke(input)` stores nothing. */
  get nodes(): Record<string, PregelNode> {
    return nodesOf(this.program);
  }
  /** The channel that streams and states show: what the function returned. */
  get streamChannelsList(): string[] {
    return [...this.program.visibleKeys];
  }
  get streamChannelsAsIs(): string {
    return END;
  }
  /** For programs that call it: there is nothing to check. */
  validate(): this {
    return this;
  }
  /** The same as `getGraph`. */
  async getGraphAsync(config?: RunnableConfig): Promise<ReturnType<CompiledGraph["getGraph"]>> {
    return this.getGraph(config);
  }
  /** What it is in drawings and traces: LangGraph knows no class of its own for it. */
  override get lc_id(): string[] {
    return [...this.lc_namespace, "LangGraph"];
  }
  protected override derive(settings: CompiledSettings): this {
    return new CompiledEntrypoint<Input, Output>(settings) as this;
  }
  protected override get ownCalls(): OwnCalls {
    return OWN;
  }
  override withConfig(config: GraphDefaults): this {
    return super.withConfig(config);
  }
  override async invoke<Mode extends StreamMode | StreamMode[] | undefined = undefined>(
    input: EntrypointInput<Input>,
    options?: InvokeOptions<Mode>,
  ): Promise<
    // options of any mode, as in a variable, are those of a call that returns its output
    [undefined] extends [Mode]
      ? Output
      : Mode extends "values"
        ? Output
        : StreamOutput<Mode, false, Output, Record<string, Written>>[]
  > {
    return super.invoke(input, options as StreamOptions) as never;
  }
  override async stream<
    Mode extends StreamMode | StreamMode[] | undefined = undefined,
    Subgraphs extends boolean = false,
    Encoding extends "text/event-stream" | undefined = undefined,
  >(
    input: EntrypointInput<Input>,
    options?: StreamOptions<Mode, Subgraphs> & { encoding?: Encoding },
  ): Promise<
    IterableReadableStream<
      [Encoding] extends ["text/event-stream"]
        ? Uint8Array
        : StreamOutput<Mode, Subgraphs, Output, Record<string, Written>>
    >
  > {
    return super.stream(input, options as StreamOptions) as never;
  }
}

const OWN = callsOf(CompiledEntrypoint);
