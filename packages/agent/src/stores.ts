/**
 * Whether something can be a store: each has one of these, those of LangGraph's nodes only the second.
 * A saver has neither.
 */
export function isStore(value: unknown): boolean {
  const { batch, listNamespaces } = (value ?? {}) as { batch?: unknown; listNamespaces?: unknown };
  return typeof batch === "function" || typeof listNamespaces === "function";
}
