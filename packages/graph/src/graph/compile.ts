import type { Awaitable } from "@skein/checkpointer";
import type { BaseChannel } from "../channels/base.ts";
import { NamedBarrierValue, NamedBarrierValueAfterFinish } from "../channels/barrier.ts";
import { EphemeralValue } from "../channels/ephemeral.ts";
import { LastValueAfterFinish } from "../channels/last-value.ts";
import { Topic } from "../channels/topic.ts";
import { branchChannel, END, joinChannel, START, TASKS } from "../ids/names.ts";
import type {
  Branch,
  CachePolicy,
  NodeAction,
  Program,
  ProgramNode,
  RetryPolicy,
  Write,
} from "../program/program.ts";
import { derived } from "../program/derived.ts";
import { inRecordOrder } from "../program/record-order.ts";
import type { TimeoutPolicy } from "../program/timeout-policy.ts";
import { pushTo } from "../channels/push-to.ts";

/** A node as it was added. */
export interface NodeSpec {
  readonly name: string;
  readonly action: NodeAction;
  readonly runnable: unknown;
  readonly subgraphs: readonly unknown[];
  /** Keys that it gets; undefined for those of the state. */
  readonly input: readonly string[] | undefined;
  readonly retryPolicy: RetryPolicy | undefined;
  readonly timeout: TimeoutPolicy | undefined;
  /** `false`: not even by default. */
  readonly cachePolicy: CachePolicy | false | undefined;
  /** Name of the node that runs when this one has failed. */
  readonly errorHandler: string | undefined;
  readonly isErrorHandler: boolean;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly ends: readonly string[] | undefined;
  readonly defer: boolean;
}

type Parse = ((key: string, value: unknown) => Awaitable<unknown>) | undefined;

export interface GraphSpec {
  readonly name: string;
  readonly nodes: ReadonlyMap<string, NodeSpec>;
  /** Single starts are edges; several are a join. */
  readonly edges: readonly (readonly [starts: readonly string[], end: string, join: boolean])[];
  readonly branches: ReadonlyMap<string, readonly Branch[]>;
  /** All keys, of the state, the input, the output and the nodes' inputs. */
  readonly channels: ReadonlyMap<string, BaseChannel>;
  /** Those that a node sees which names none: of the state. */
  readonly ownKeys: readonly string[];
  readonly inputKeys: readonly string[];
  readonly outputKeys: readonly string[];
  readonly parse: Parse;
  readonly parseInput: Parse;
  readonly inputDefaults: Program["inputDefaults"];
}

/** Makes the program of a graph: what wakes what, which channels there are, where results go. */
export function compileProgram(spec: GraphSpec): Program {
  const channels = new Map<string, BaseChannel>(spec.channels);
  const stateKeys = [...spec.channels.keys()];
  const isVisible = (key: string): boolean => !spec.channels.get(key)?.hidden;
  const visibleKeys = stateKeys.filter(isVisible);
  const ownKeys = spec.ownKeys.filter(isVisible);
  channels.set(START, new EphemeralValue());
  const triggers = new Map<string, string[]>();
  for (const node of spec.nodes.values()) {
    const channel = branchChannel(node.name);
    channels.set(channel, node.defer ? new LastValueAfterFinish() : new EphemeralValue(false));
    triggers.set(node.name, [channel]);
  }
  const edges = addEdges(spec, channels, triggers);
  channels.set(TASKS, new Topic());

  const nodes = new Map<string, ProgramNode>();
  const writable = new Set(stateKeys);
  nodes.set(START, startNode(spec, edges.get(START) ?? []));
  for (const node of spec.nodes.values()) {
    const input = node.input ?? (ownKeys.length === visibleKeys.length ? visibleKeys : ownKeys);
    nodes.set(node.name, {
      ...node,
      cachePolicy: node.cachePolicy === false ? undefined : node.cachePolicy,
      triggers: triggers.get(node.name) ?? [],
      input,
      lazyInput: input.filter((key) => channels.get(key)?.lazy === true),
      edges: edges.get(node.name) ?? [],
      branches: spec.branches.get(node.name) ?? [],
      writable,
      hidden: false,
    });
  }
  return {
    name: spec.name,
    nodes: inRecordOrder(nodes),
    channels,
    ...derived(nodes, channels),
    stateKeys,
    visibleKeys,
    outputKeys: spec.outputKeys.filter(isVisible),
    parse: spec.parse,
    parseInput: spec.parseInput,
    inputDefaults: spec.inputDefaults,
  };
}

function addEdges(
  spec: GraphSpec,
  channels: Map<string, BaseChannel>,
  triggers: Map<string, string[]>,
): Map<string, Write[]> {
  const edges = new Map<string, Write[]>();
  const add = (start: string, write: Write): void => pushTo(edges, start, write);
  for (const [starts, end, join] of spec.edges) {
    if (join || end === END) continue;
    add(starts[0] as string, [branchChannel(end), null]);
  }
  for (const [starts, end, join] of spec.edges) {
    if (!join) continue;
    const channel = joinChannel(starts, end);
    const defer = spec.nodes.get(end)?.defer === true;
    channels.set(channel, defer ? new NamedBarrierValueAfterFinish(starts) : new NamedBarrierValue(starts));
    triggers.get(end)?.push(channel);
    for (const start of starts) add(start, [channel, start]);
  }
  return edges;
}

/** The virtual node that hands an input to the state. */
function startNode(spec: GraphSpec, edges: readonly Write[]): ProgramNode {
  return {
    name: START,
    triggers: [START],
    input: "start",
    lazyInput: [],
    action: (input) => input,
    runnable: undefined,
    subgraphs: [],
    edges,
    branches: spec.branches.get(START) ?? [],
    writable: new Set(spec.inputKeys),
    retryPolicy: undefined,
    timeout: undefined,
    metadata: undefined,
    hidden: true,
    ends: undefined,
  };
}
