import type { Figures, Params } from "../protocol.ts";
import type { Side } from "../sides.ts";

/**
 * Milliseconds to import an engine in a process that has @langchain/core's messages already.
 * `contract`: and @langchain/langgraph-checkpoint, whose serializer imports all of @langchain/core.
 */
export async function importTime(side: Side, params: Params): Promise<Figures> {
  await import("@langchain/core/messages");
  if (params["contract"] === true) await import("@langchain/langgraph-checkpoint");
  const start = performance.now();
  if (side === "skein") await import("@skein/graph");
  if (side === "langgraph") await import("@langchain/langgraph");
  return { total: performance.now() - start };
}
