import { GraphError, shown } from "@skein/errors";
import { checkNames } from "../compiled/check-call.ts";
import { checkPart } from "../errors/given.ts";
import { KnownOptions } from "../errors/known-options.ts";
import { checkFactories } from "../stream/events/transformer.ts";
import type { NodeOptions } from "./builder-types.ts";
import type { CompileOptions } from "./compile-options.ts";

const NODE = new KnownOptions(
  "A node",
  "cachePolicy defer ends errorHandler input metadata retryPolicy subgraphs timeout",
);

const COMPILE = new KnownOptions(
  "compile()",
  "cache checkpointer debug description interruptAfter interruptBefore name stepTimeout store transformers",
);

/** @throws GraphError INVALID_CONFIGURATION for what are no options of a node */
export function checkNodeOptions(node: string, options: NodeOptions | null | undefined): NodeOptions {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object" || Array.isArray(options)) {
    throw wrong(`The options of node "${node}" are an object, such as {defer: true}, not ${shown(options)}.`);
  }
  NODE.warn(options);
  const { ends, subgraphs } = options;
  for (const [name, list] of Object.entries({ ends, subgraphs })) {
    if (list === undefined || list === null || Array.isArray(list)) continue;
    throw wrong(`"${name}" of node "${node}" is a list, not ${shown(list)}.`);
  }
  return options;
}

/** @throws GraphError INVALID_CONFIGURATION for options that mean nothing */
export function checkCompileOptions(options: CompileOptions): void {
  COMPILE.warn(options);
  checkFactories(options.transformers ?? []);
  checkNames("interruptBefore", options.interruptBefore);
  checkNames("interruptAfter", options.interruptAfter);
  checkPart("store", options.store, "new InMemoryStore()");
  checkPart("cache", options.cache, "new InMemoryCache()");
  const name: unknown = options.name;
  if (name === undefined || name === null || typeof name === "string") return;
  throw wrong(`"name" of a graph is a text, not ${shown(name)}.`);
}

const wrong = (message: string): GraphError => new GraphError("INVALID_CONFIGURATION", message);
