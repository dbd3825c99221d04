import type { ListNamespacesOperation, MatchCondition } from "@langchain/langgraph-checkpoint";
import { latin, namespaceBytes, namespaceOf } from "./tuple.ts";

/** The parts that every namespace begins with that the conditions let through. */
export function commonPrefix(conditions: readonly MatchCondition[] = []): Uint8Array {
  const heads = conditions
    .filter(({ matchType }) => matchType === "prefix")
    .map(({ path }) => {
      const wildcard = path.indexOf("*");
      return namespaceBytes(wildcard < 0 ? path : path.slice(0, wildcard));
    });
  return heads.reduce<Uint8Array>(
    (longest, head) => (head.length > longest.length ? head : longest),
    new Uint8Array(),
  );
}

/** Which of the namespaces, in order, a caller gets. */
export function selectNamespaces(
  sorted: readonly Uint8Array[],
  { matchConditions = [], maxDepth, limit = Infinity, offset = 0 }: ListNamespacesOperation,
): string[][] {
  const chosen = new Map<string, string[]>();
  for (const bytes of sorted) {
    const namespace = namespaceOf(bytes);
    if (!matchConditions.every((condition) => matches(namespace, condition))) continue;
    const cut = namespace.slice(0, maxDepth);
    chosen.set(latin(namespaceBytes(cut)), cut);
  }
  return [...chosen.values()].slice(offset, offset + limit);
}

function matches(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((part, i) => part === "*" || part === namespace[start + i]);
}
