import type { LangGraph } from "../engines.ts";

/** What finds the running node without being handed its config. */
const AMBIENT = [
  "interrupt",
  "getStore",
  "getWriter",
  "getConfig",
  "writer",
  "getCurrentTaskInput",
  "getPreviousState",
  "pushMessage",
  "task",
] as const;

/** The engine, and which of its functions a program called that need an AsyncLocalStorage. */
export function watched(engine: LangGraph): { readonly lg: LangGraph; readonly called: ReadonlySet<string> } {
  const called = new Set<string>();
  const functions = engine as unknown as Record<string, ((...args: unknown[]) => unknown) | undefined>;
  const watching = AMBIENT.map((name) => [
    name,
    (...args: unknown[]): unknown => {
      called.add(name);
      return functions[name]?.(...args);
    },
  ]);
  return { lg: { ...engine, ...Object.fromEntries(watching) } as LangGraph, called };
}
