import type { LangGraphRunnableConfig } from "./config.ts";
import { CHILD_CONFIG, Extra, UntracedRun, wholeTree } from "./untraced-run.ts";

// For programs that look at LangSmith's `getCurrentRunTree()` in a node that no tracer follows; not on a page,
// where nothing is ambient.

/** What a run tree has, beside what LangChain looks for where nothing is traced. */
const OF_A_TREE = [
  ..."id name run_type project_name parent_run parent_run_id child_runs start_time end_time tags".split(" "),
  ..."error serialized inputs outputs reference_example_id client events trace_id dotted_order".split(" "),
  ..."metadata execution_order child_execution_order attachments replicas distributedParentId".split(" "),
  ..."createChild end patchRun addEvent toHeaders toJSON".split(" "),
];

/**
 * The run as the run tree that LangChain would have made: what looks at one member, as LangSmith does to tell
 * whether it is a tree, may go on to copy all that it has itself (`setContextVariable`).
 */
function become(run: UntracedRun): object {
  const { extra } = run;
  const tree = Object.assign(wholeTree(run), { extra: { ...extra, ...looked(extra) } });
  Object.defineProperties(run, Object.getOwnPropertyDescriptors(tree));
  return Object.setPrototypeOf(run, Object.getPrototypeOf(tree) as object) as object;
}

function looked(extra: { readonly metadata?: unknown; readonly [CHILD_CONFIG]?: unknown }): object {
  return { metadata: extra.metadata, [CHILD_CONFIG]: extra[CHILD_CONFIG] };
}

for (const name of OF_A_TREE) {
  Object.defineProperty(UntracedRun.prototype, name, {
    configurable: true,
    get(this: UntracedRun): unknown {
      return Reflect.get(become(this), name);
    },
    set(this: UntracedRun, value: unknown) {
      Reflect.set(become(this), name, value);
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
