import { GraphError, shown } from "@skein/errors";

/**
 * The thread that a config names, if it names one.
 *
 * @throws GraphError INVALID_CONFIGURATION for what is no id: all objects would be one thread
 */
export function threadIdOf(configurable: Readonly<Record<PropertyKey, unknown>>): string | undefined {
  const thread = configurable["thread_id"];
  if (typeof thread === "string") return thread === "" ? undefined : thread;
  if (thread === undefined || thread === null) return undefined;
  if (typeof thread === "bigint" || Number.isFinite(thread)) return String(thread);
  throw new GraphError("INVALID_CONFIGURATION", `A "thread_id" is a text, not ${shown(thread)}.`);
}
