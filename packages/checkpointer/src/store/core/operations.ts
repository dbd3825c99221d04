import type {
  GetOperation,
  ListNamespacesOperation,
  Operation,
  PutOperation,
  SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import type { GetOptions, PutOptions, SearchOptions } from "./types.ts";

export interface Get extends GetOperation, GetOptions {}
export interface Put extends PutOperation, PutOptions {}
export interface Search extends Omit<SearchOperation, keyof SearchOptions>, SearchOptions {}

/** What a batch is made of: LangGraph's operations, with the options of this package's stores. */
export type StoreOperation = Get | Put | Search | ListNamespacesOperation;

export type Sorted =
  | { readonly kind: "get"; readonly operation: Get }
  | { readonly kind: "put"; readonly operation: Put }
  | { readonly kind: "search"; readonly operation: Search }
  | { readonly kind: "namespaces"; readonly operation: ListNamespacesOperation };

/** Says what an operation is, by its fields. @throws GraphError INVALID_INPUT for one that cannot be done */
export function sorted(operation: Operation): Sorted {
  if (typeof operation !== "object" || operation === null)
    throw invalid("An operation of a batch is an object.");
  if ("namespacePrefix" in operation) return { kind: "search", operation: checkedSearch(operation) };
  if ("value" in operation) return { kind: "put", operation: checkedPut(operation) };
  if ("key" in operation) {
    checkPlace(operation);
    return { kind: "get", operation };
  }
  if (
    "limit" in operation ||
    "offset" in operation ||
    "matchConditions" in operation ||
    "maxDepth" in operation
  ) {
    return { kind: "namespaces", operation: checkedList(operation) };
  }
  throw invalid("An operation of a batch is none that a store knows: get, put, search or list namespaces.");
}

function checkedPut(operation: Put): Put {
  checkPlace(operation);
  const { namespace, value, index, ttl } = operation;
  if (value === null) return operation;
  if (namespace.length === 0) throw invalid("An item needs a namespace of at least one part.");
  if (namespace[0] === "langgraph") {
    throw invalid('A namespace cannot begin with "langgraph": LangGraph keeps that root for itself.');
  }
  if (typeof value !== "object" || Array.isArray(value)) {
    throw invalid("A store keeps objects. Put the value into a field, as in { value }.");
  }
  const listOfPaths = Array.isArray(index) && index.every((path) => typeof path === "string");
  if (index !== undefined && index !== null && index !== false && !listOfPaths) {
    throw invalid("`index` is false or a list of paths.");
  }
  if (ttl !== undefined && ttl !== null && !(Number.isFinite(ttl) && ttl > 0)) {
    throw invalid("`ttl` is a number of minutes above 0, or null for an item that never ends.");
  }
  return operation;
}

function checkedSearch(operation: Search): Search {
  const { namespacePrefix, limit, offset, query, mode } = operation;
  if (!isTexts(namespacePrefix)) throw invalid("A namespace prefix is a list of texts.");
  checkCount("limit", limit);
  checkCount("offset", offset);
  if (query !== undefined && query !== null && typeof query !== "string") throw invalid("`query` is a text.");
  if (mode !== undefined && mode !== "text" && mode !== "vector")
    throw invalid('`mode` is "text" or "vector".');
  return operation;
}

function checkedList(operation: ListNamespacesOperation): ListNamespacesOperation {
  const { matchConditions, maxDepth, limit, offset } = operation;
  checkCount("limit", limit);
  checkCount("offset", offset);
  checkCount("maxDepth", maxDepth);
  for (const { matchType, path } of matchConditions ?? []) {
    if (matchType !== "prefix" && matchType !== "suffix") {
      throw invalid('A condition on namespaces is of the type "prefix" or "suffix".');
    }
    if (!isTexts(path)) throw invalid("The path of a condition on namespaces is a list of texts.");
  }
  return operation;
}

function checkPlace({ namespace, key }: { readonly namespace: string[]; readonly key: string }): void {
  if (!isTexts(namespace)) throw invalid("A namespace is a list of texts.");
  if (typeof key !== "string") throw invalid("The key of an item is a text.");
}

function checkCount(name: string, value: number | undefined): void {
  if (value === undefined || value === Number.POSITIVE_INFINITY) return;
  if (!Number.isSafeInteger(value) || value < 0) throw invalid(`\`${name}\` is a whole number, 0 or more.`);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((part) => typeof part === "string");
}

function invalid(what: string): GraphError {
  return new GraphError("INVALID_INPUT", `${what} Nothing of the batch was done.`);
}
