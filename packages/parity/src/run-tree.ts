import { BaseTracer, type Run } from "@langchain/core/tracers/base";

/** A run as a tracer such as LangSmith's is told of it: what it is, and what ran within. */
export interface TracedRun {
  readonly run: string;
  readonly tags: readonly string[];
  readonly node?: unknown;
  readonly step?: unknown;
  readonly triggers?: unknown;
  readonly keys: { readonly inputs: readonly string[]; readonly outputs: readonly string[] };
  readonly error?: string;
  readonly within: readonly TracedRun[];
}

/** Collects whole trees of runs, as LangSmith's tracer sends them, without sending them. */
export class RunTrees extends BaseTracer {
  readonly name = "run_trees";
  readonly trees: TracedRun[] = [];

  constructor() {
    super({ _awaitHandler: true });
  }
  protected override async persistRun(run: Run): Promise<void> {
    this.trees.push(traced(run));
  }
}

function traced(run: Run): TracedRun {
  const { langgraph_node, langgraph_step, langgraph_triggers } = (run.extra?.["metadata"] ?? {}) as Record<
    string,
    unknown
  >;
  return {
    run: `${run.run_type} ${run.name}`,
    tags: (run.tags ?? []).toSorted(),
    ...(langgraph_node === undefined
      ? {}
      : { node: langgraph_node, step: langgraph_step, triggers: langgraph_triggers }),
    keys: { inputs: Object.keys(run.inputs), outputs: Object.keys(run.outputs ?? {}) },
    ...(run.error === undefined ? {} : { error: run.error.split("\n")[0] as string }),
    // tasks of one step begin in an order that nobody promises; what LangSmith hides is the engine's own
    within: run.child_runs
      .filter(({ tags = [] }) => !tags.includes("langsmith:hidden"))
      .map(traced)
      .toSorted(order),
  };
}

const order = (a: TracedRun, b: TracedRun): number =>
  Number(a.step ?? 0) - Number(b.step ?? 0) || a.run.localeCompare(b.run);
