import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import type { Awaitable } from "@skein/checkpointer";
import type { BaseChannel } from "../channels/base.ts";
import { EmptyInputError, InvalidUpdateError } from "../errors/errors.ts";
import { TAG_HIDDEN } from "../ids/names.ts";
import { derived } from "../program/derived.ts";
import type {
  InputReader,
  NodeAction,
  Program,
  ProgramNode,
  ReadChannel,
  Write,
} from "../program/program.ts";
import { timeoutPolicy } from "../program/timeout-policy.ts";
import { taskOf } from "../task/config.ts";
import { subgraphsIn } from "../graph/action.ts";
import type { PregelParams } from "./params.ts";
import type { PregelNode } from "./pregel-node.ts";
import { listOf } from "./validate.ts";

/** The program of nodes and channels that were wired by hand. */
export function pregelProgram(params: PregelParams, name: string): Program {
  const { inputChannels, outputChannels, streamChannels } = params;
  const channels = new Map<string, BaseChannel>(Object.entries(params.channels));
  const nodes = new Map<string, ProgramNode>();
  for (const [node, spec] of Object.entries(params.nodes)) {
    // what neither does nor writes anything never runs
    if (spec.passes && spec.writers.length === 0) continue;
    nodes.set(node, programNode(node, spec, params));
  }
  const keys = streamChannels === undefined ? [...channels.keys()] : listOf(streamChannels);
  const shown = keys.filter((key) => !channels.get(key)?.hidden);
  const bareInput = Array.isArray(inputChannels) ? undefined : String(inputChannels);
  return {
    name,
    nodes,
    channels,
    ...derived(nodes, channels),
    stateKeys: keys,
    visibleKeys: shown,
    outputKeys: listOf(outputChannels),
    bareKey:
      streamChannels === undefined || Array.isArray(streamChannels) ? undefined : String(streamChannels),
    bareOutput: Array.isArray(outputChannels) ? undefined : String(outputChannels),
    takesInput: (input) => inputWrites(inputChannels, input),
    inputNode: bareInput !== undefined && nodes.has(bareInput) ? bareInput : undefined,
    parse: undefined,
    parseInput: undefined,
    inputDefaults: new Map(),
  };
}

function programNode(name: string, node: PregelNode, { retryPolicy }: PregelParams): ProgramNode {
  const written = node.writers.flatMap(({ writes }) => writes.map(({ channel }) => channel));
  return {
    name,
    triggers: node.triggers,
    input: readerOf(node),
    lazyInput: [],
    action: actionOf(node),
    runnable: node.passes ? undefined : node.bound,
    subgraphs: node.subgraphs?.length ? node.subgraphs : subgraphsIn(node.bound),
    edges: [],
    branches: [],
    writable: new Set(written),
    retryPolicy: node.retryPolicy ?? retryPolicy,
    timeout: timeoutPolicy(node.timeout),
    cachePolicy: node.cachePolicy,
    errorHandler: node.errorHandlerNode,
    isErrorHandler: node.isErrorHandler === true,
    metadata: Object.keys(node.metadata).length === 0 ? undefined : node.metadata,
    hidden: node.tags.includes(TAG_HIDDEN),
    ends: node.ends,
    conveys: (result, config) => writesOf(name, node, result, config as RunnableConfig),
  };
}

/** An object of all its channels, or the value of the first that has one; undefined: it cannot run. */
function readerOf({ channels, triggers, mapper }: PregelNode): InputReader {
  const read = Array.isArray(channels)
    ? firstOf(channels)
    : allOf(Object.entries(channels), new Set(triggers));
  if (mapper === undefined) return read;
  return (from) => {
    const input = read(from);
    return input === undefined ? undefined : mapper(input);
  };
}

function firstOf(channels: readonly string[]): InputReader {
  return (read) => {
    for (const channel of channels) {
      const held = read(channel);
      if (held !== "absent") return held.value;
    }
    return undefined;
  };
}

function allOf(
  channels: readonly (readonly [key: string, channel: string])[],
  triggers: ReadonlySet<string>,
) {
  return (read: ReadChannel): Record<string, unknown> | undefined => {
    const input: Record<string, unknown> = {};
    for (const [key, channel] of channels) {
      const held = read(channel);
      if (held !== "absent") input[key] = held.value;
      // of those that do not wake it, one without a value is left out
      else if (triggers.has(channel)) return undefined;
    }
    return input;
  };
}

function actionOf({ passes, bound, tags }: PregelNode): NodeAction {
  if (passes) return (input) => input;
  const runnable: Runnable = bound;
  if (tags.length === 0) return (input, config) => runnable.invoke(input, config as RunnableConfig);
  return (input, config) => {
    const given = config as RunnableConfig;
    return runnable.invoke(input, { ...given, tags: [...new Set([...(given.tags ?? []), ...tags])] });
  };
}

/** What the writers at the end of a node write, in their order. */
function writesOf(
  name: string,
  { writers }: PregelNode,
  result: unknown,
  config: RunnableConfig,
): Awaitable<Write[]> {
  if (writers.length === 0 && taskOf(config) === undefined) {
    throw new InvalidUpdateError(`Node "${name}" writes no channel, so nobody can update the state as it.`, {
      details: { node: name },
    });
  }
  const [only] = writers;
  if (only === undefined) return [];
  if (writers.length === 1) return only.entries(result, config);
  return Promise.all(writers.map(async (writer) => writer.entries(result, config))).then((lists) =>
    lists.flat(),
  );
}

function inputWrites(inputChannels: PregelParams["inputChannels"], input: unknown): Write[] {
  if (!Array.isArray(inputChannels)) return [[String(inputChannels), input]];
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new InvalidUpdateError(
      `The program has several input channels: pass an object with some of ${inputChannels.join(", ")}.`,
      { code: "INVALID_INPUT" },
    );
  }
  const writes = Object.entries(input).filter(([key]) => inputChannels.includes(key));
  if (writes.length > 0) return writes;
  throw new EmptyInputError(`The input holds none of the input channels: ${inputChannels.join(", ")}.`);
}
