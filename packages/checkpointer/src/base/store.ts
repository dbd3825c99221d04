import type {
  BaseStore as Contract,
  Item,
  ListNamespacesOperation,
  MatchCondition,
  NameSpacePath,
  Operation,
  OperationResults,
  SearchItem,
  SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { extendsClass, hasMethods } from "./instance.ts";

const METHODS = ["batch", "get", "put", "search", "delete", "listNamespaces"];

export interface SearchOf {
  /** Fields that an item's value must have. */
  filter?: Record<string, unknown>;
  /** Default: 10. */
  limit?: number;
  /** Default: 0. */
  offset?: number;
  query?: string;
}

export interface NamespacesOf {
  prefix?: NameSpacePath;
  suffix?: NameSpacePath;
  maxDepth?: number;
  /** Default: 100. */
  limit?: number;
  /** Default: 0. */
  offset?: number;
}

/**
 * What a store extends; it has to implement `batch`. The same contract as `BaseStore` of
 * @langchain/langgraph-checkpoint, and interchangeable with it: both engines take a store of either
 * class, and stores of that one are `instanceof` this one.
 */
export abstract class BaseStore implements Contract {
  static [Symbol.hasInstance](value: unknown): boolean {
    return this === BaseStore ? hasMethods(value, METHODS) : extendsClass(value, this);
  }

  abstract batch<Operations extends Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>>;

  /** The item, or null. */
  async get(namespace: string[], key: string): Promise<Item | null> {
    const [item] = await this.batch([{ namespace, key }]);
    return item as Item | null;
  }

  /** Items below a namespace. */
  async search(namespacePrefix: string[], options: SearchOf = {}): Promise<SearchItem[]> {
    const [items] = await this.batch([searchOperation(namespacePrefix, options)]);
    return items as SearchItem[];
  }

  /**
   * Stores an item, or puts another value in its place.
   *
   * @param index - paths into the value that it is found by; `false`: nothing
   * @throws GraphError INVALID_INPUT for a namespace that is empty or has an empty label or one with a
   *   period, or begins with "langgraph"
   */
  async put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
  ): Promise<void> {
    checkNamespace(namespace);
    await this.batch([{ namespace, key, value, ...(index === undefined ? {} : { index }) }]);
  }

  async delete(namespace: string[], key: string): Promise<void> {
    await this.batch([{ namespace, key, value: null }]);
  }

  /** Namespaces that have items. */
  async listNamespaces(options?: NamespacesOf | null): Promise<string[][]> {
    const { prefix, suffix, maxDepth, limit = 100, offset = 0 } = options ?? {};
    const conditions: MatchCondition[] = [];
    if (prefix !== undefined) conditions.push({ matchType: "prefix", path: prefix });
    if (suffix !== undefined) conditions.push({ matchType: "suffix", path: suffix });
    const operation: ListNamespacesOperation = {
      ...(conditions.length === 0 ? {} : { matchConditions: conditions }),
      ...(maxDepth === undefined ? {} : { maxDepth }),
      limit,
      offset,
    };
    const [namespaces] = await this.batch([operation]);
    return namespaces as string[][];
  }

  /** Override it to begin what runs beside the calls. */
  start(): void | Promise<void> {}

  /** Override it to end that. */
  stop(): void | Promise<void> {}
}

/** What a search asks of a batch. */
export function searchOperation(namespacePrefix: string[], options: SearchOf = {}): SearchOperation {
  const { filter, limit = 10, offset = 0, query } = options;
  return {
    namespacePrefix,
    ...(filter === undefined ? {} : { filter }),
    limit,
    offset,
    ...(query === undefined ? {} : { query }),
  };
}

function checkNamespace(namespace: unknown): void {
  const labels: unknown[] = Array.isArray(namespace) ? namespace : [];
  const fit = labels.every((label) => typeof label === "string" && label !== "" && !label.includes("."));
  if (fit && labels.length > 0 && labels[0] !== "langgraph") return;
  throw new GraphError(
    "INVALID_INPUT",
    `${JSON.stringify(namespace)} is no namespace: it is a list of one or more texts, none empty or with a period, the first not "langgraph". Nothing was stored.`,
  );
}
