// Aliases, because the bundler of declarations would make values of classes that are exported as types.
import type { BaseChannel } from "../channels/base.ts";
import type { CompiledGraph } from "../compiled/compiled.ts";
import type { CommandInstance } from "../program/command.ts";
import type { PregelInputType, PregelOptions, PregelOutputType } from "./params.ts";
import type { PregelNode as Node } from "./pregel-node.ts";

/** What is common to all that runs: compiled graphs, entrypoints, and the class of the entry point `./pregel`. */
export interface Pregel<
  Nodes extends Record<string, PregelNode> = Record<string, PregelNode>,
  Channels extends Record<string, BaseChannel> = Record<string, BaseChannel>,
  ContextType extends Record<string, unknown> = Record<string, unknown>,
  InputType = PregelInputType,
  OutputType = PregelOutputType,
> extends CompiledGraph {
  invoke(
    input: InputType | CommandInstance | null,
    options?: Partial<PregelOptions<Nodes, Channels, ContextType>>,
  ): Promise<OutputType>;
}

/** The class is exported by the entry point `./pregel`. */
// oxlint-disable-next-line typescript/no-explicit-any -- as the class
export type PregelNode<RunInput = any, RunOutput = any> = Node<RunInput, RunOutput>;
