import type { IterableReadableStream } from "@langchain/core/utils/stream";
import { CompiledGraph } from "../compiled/compiled.ts";
import type { GraphDefaults, InvokeOptions, StreamOptions } from "../compiled/options.ts";
import type { CompiledSettings } from "../compiled/prepare.ts";
import type { StreamOutput } from "../compiled/stream-types.ts";
import type { CommandInstance } from "../program/command.ts";
import type { StreamMode } from "../stream/modes.ts";

/** A new input; null to go on where the thread stands; a Command to resume. */
export type EntrypointInput<Input> = Input | CommandInstance | null;

/** An entrypoint that can be called. Its state is the value that it returned last. */
export class CompiledEntrypoint<Input = unknown, Output = unknown> extends CompiledGraph {
  declare RunInput: Input;
  declare RunOutput: Output;

  protected override derive(settings: CompiledSettings): this {
    return new CompiledEntrypoint<Input, Output>(settings) as this;
  }
  override withConfig(config: GraphDefaults): this {
    return super.withConfig(config);
  }
  override async invoke<Mode extends StreamMode | StreamMode[] | undefined = undefined>(
    input: EntrypointInput<Input>,
    options?: InvokeOptions<Mode>,
  ): Promise<
    Mode extends undefined | "values" ? Output : StreamOutput<Mode, false, Output, Record<string, unknown>>[]
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
        : StreamOutput<Mode, Subgraphs, Output, Record<string, unknown>>
    >
  > {
    return super.stream(input, options as StreamOptions) as never;
  }
}
