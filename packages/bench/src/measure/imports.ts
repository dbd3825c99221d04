import type { Figures } from "../protocol.ts";
import type { Side } from "../sides.ts";

/** Milliseconds to import an engine in a process that has @langchain/core's messages already. */
export async function importTime(side: Side): Promise<Figures> {
  await import("@langchain/core/messages");
  const start = performance.now();
  if (side === "skein") await import("@skein/graph");
  if (side === "langgraph") await import("@langchain/langgraph");
  return { total: performance.now() - start };
}
