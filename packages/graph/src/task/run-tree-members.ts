import type { LangGraphRunnableConfig } from "./config.ts";
import { Extra, UntracedRun, wholeTree } from "./untraced-run.ts";

// For programs that look at LangSmith's `getCurrentRunTree()` in a node that no tracer follows; not on a page,
// where nothing is ambient.

/** What a run tree has, beside what LangChain looks for where nothing is traced. */
const OF_A_TREE = [
  ..."id name run_type project_name parent_run parent_run_id child_runs start_time end_time tags".split(" "),
  ..."error serialized inputs outputs reference_example_id client events trace_id dotted_order".split(" "),
  ..."metadata execution_order child_execution_order attachments replicas distributedParentId".split(" "),
  ..."createChild end patchRun addEvent toHeaders toJSON".split(" "),
];

/** Of runs that a program has looked at. */
const trees = new WeakMap<UntracedRun, object>();

function treeOf(run: UntracedRun): object {
  const tree = trees.get(run) ?? wholeTree(run);
  trees.set(run, tree);
  return tree;
}

for (const name of OF_A_TREE) {
  Object.defineProperty(UntracedRun.prototype, name, {
    configurable: true,
    get(this: UntracedRun): unknown {
      const tree = treeOf(this);
      const value: unknown = Reflect.get(tree, name);
      return typeof value === "function" ? (value.bind(tree) as unknown) : value;
    },
    set(this: UntracedRun, value: unknown) {
      Reflect.set(treeOf(this), name, value);
    },
  });
}

/** What is called within a node is run with a config of its own, and nobody hears of it either. */
Object.defineProperty(UntracedRun.prototype, Symbol.for("skein.within"), {
  value: (config: LangGraphRunnableConfig) => new UntracedRun(config),
});

/** Made when it is asked for; from then on the object has it itself. */
Object.defineProperty(Extra.prototype, "metadata", {
  configurable: true,
  get(this: object): object {
    return ownMetadata(this, {});
  },
  set(this: object, metadata: object) {
    ownMetadata(this, metadata);
  },
});

function ownMetadata(extra: object, value: object): object {
  Object.defineProperty(extra, "metadata", { value, writable: true, enumerable: true, configurable: true });
  return value;
}
