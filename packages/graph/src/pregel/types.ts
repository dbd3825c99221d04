// Aliases, because the bundler of declarations would make values of classes that are exported as types.
import type { BaseChannel } from "../channels/base.ts";
import type { PregelInputType, PregelOutputType } from "./params.ts";
import type { Pregel as Program } from "./pregel.ts";
import type { PregelNode as Node } from "./pregel-node.ts";

/** The class is exported by the entry point `./pregel`. */
export type Pregel<
  Nodes extends Record<string, PregelNode> = Record<string, PregelNode>,
  Channels extends Record<string, BaseChannel> = Record<string, BaseChannel>,
  ContextType extends Record<string, unknown> = Record<string, unknown>,
  InputType = PregelInputType,
  OutputType = PregelOutputType,
> = Program<Nodes, Channels, ContextType, InputType, OutputType>;

/** The class is exported by the entry point `./pregel`. */
// oxlint-disable-next-line typescript/no-explicit-any -- as the class
export type PregelNode<RunInput = any, RunOutput = any> = Node<RunInput, RunOutput>;
