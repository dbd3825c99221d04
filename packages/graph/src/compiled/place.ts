import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Claim } from "@skein/checkpointer";
import { GraphError, shown } from "@skein/errors";
import { GraphValueError } from "../errors/errors.ts";
import { nodeNames, statefulNamespace } from "../ids/namespace.ts";
import type { ProgramNode } from "../program/program.ts";
import { configOf } from "../run/config-of.ts";
import { inheritedBy, type Run } from "../run/run.ts";
import type { Address } from "../run/storage.ts";
import { taskOf } from "../task/config.ts";
import type { CompiledSettings } from "./prepare.ts";
import { threadIdOf } from "./thread-id.ts";

/** A graph within a graph, found by the names of the nodes on the way. */
export interface Place {
  readonly settings: CompiledSettings;
  readonly saver: BaseCheckpointSaver;
  /** The run of the node whose config it was. */
  readonly caller?: Run | undefined;
}

/**
 * The graph and the saver that a config's namespace belongs to. With the config of a node that is the
 * graph itself, as that node calls it: in the saver of its run, and wherever the config says.
 *
 * @param settingsOf - settings of a value in a node's `subgraphs`, if it is a graph of ours
 */
export function placeAt(
  settings: CompiledSettings,
  config: RunnableConfig,
  settingsOf: (graph: unknown) => CompiledSettings | undefined,
): Place {
  const caller = inheritedBy(taskOf(config));
  const own = typeof settings.checkpointer === "object" ? settings.checkpointer : undefined;
  const saver = caller?.options.saver ?? own;
  if (saver === undefined) {
    throw new GraphValueError("No checkpointer set. Pass {checkpointer} to compile().", {
      lc_error_code: "MISSING_CHECKPOINTER",
      code: "MISSING_CHECKPOINTER",
    });
  }
  if (caller !== undefined) return { settings, saver, caller };
  let place = settings;
  for (const name of nodeNames(namespaceOf(config))) {
    const found = calledBy(place.program.nodes.get(name), settingsOf);
    if (found === undefined) {
      const namespace = namespaceOf(config);
      throw new GraphError(
        "UNKNOWN_NODE",
        `There is no subgraph at "${namespace}". What a node called is found with the config of that node.`,
        { details: { namespace } },
      );
    }
    place = found;
  }
  return { settings: place, saver };
}

/** Settings of the graph that a node calls. */
export function calledBy(
  node: ProgramNode | undefined,
  settingsOf: ((graph: unknown) => CompiledSettings | undefined) | undefined,
): CompiledSettings | undefined {
  return node?.subgraphs.map((graph) => settingsOf?.(graph)).find((settings) => settings !== undefined);
}

/** Snapshots name a graph by the task that calls it, also one with a memory of its own, which has one place. */
export function addressOf({ settings }: Place, config: RunnableConfig): Address {
  const configurable = configurableOf(config);
  const threadId = threadIdOf(configurable);
  if (threadId === undefined) {
    throw new GraphError("MISSING_THREAD_ID", "Pass {configurable: {thread_id: ...}} to name the thread.");
  }
  const checkpointId = configurable["checkpoint_id"] as string | undefined;
  const named = namespaceOf(config);
  const namespace = settings.checkpointer === true ? statefulNamespace(named) : named;
  return { threadId, namespace, checkpointId, given: mergeConfigs(settings.config, config) };
}

/**
 * The right to write that the run of the node which asks has: below its task, and where nobody runs.
 * Elsewhere, and when that run is over, the thread is to be claimed.
 */
export function claimOf({ caller, saver }: Place, { threadId, namespace }: Address): Claim | undefined {
  if (caller?.status !== "running" || caller.options.saver !== saver || caller.options.threadId !== threadId)
    return undefined;
  for (let run: Run | undefined = caller; run !== undefined; run = inheritedBy(run.options.parent)) {
    if (run.options.namespace === namespace) return undefined;
  }
  return caller.session?.claim;
}

function namespaceOf(config: RunnableConfig): string {
  const namespace: unknown = configurableOf(config)["checkpoint_ns"] ?? "";
  if (typeof namespace === "string") return namespace;
  throw new GraphError("INVALID_CONFIGURATION", `A "checkpoint_ns" is a text, not ${shown(namespace)}.`);
}

/** Programs without types also pass null, or no config. */
export function configurableOf(config: RunnableConfig | null | undefined): Record<string, unknown> {
  return config?.configurable ?? {};
}

/** A config that names a state; of a subgraph's, with the states of the graphs around it. */
export function stateConfig(
  address: Address,
  parents: Readonly<Record<string, string>> | undefined,
): RunnableConfig {
  const config = configOf(address);
  if (parents === undefined || Object.keys(parents).length === 0) return config;
  const map = { ...parents, [address.namespace]: address.checkpointId };
  return { configurable: { ...config.configurable, checkpoint_map: map } };
}
