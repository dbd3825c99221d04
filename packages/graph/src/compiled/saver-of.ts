import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { GraphValueError } from "../errors/errors.ts";

/** What a run calls. Savers that people write often have no more: `list` is for histories. */
const NEEDED = ["getTuple", "put", "putWrites", "getNextVersion"];

/**
 * The saver of a graph's run.
 *
 * @param checkpointer - what the graph was compiled with
 * @param inherited - that of the run which calls the graph
 * @throws GraphValueError for what is no saver, and where a graph's own memory has no saver to be in
 */
export function saverOf(
  checkpointer: BaseCheckpointSaver | boolean | undefined,
  inherited: BaseCheckpointSaver | undefined,
): BaseCheckpointSaver | undefined {
  if (checkpointer === false) return undefined;
  if (inherited !== undefined) return inherited;
  if (checkpointer === undefined) return undefined;
  if (checkpointer === true) {
    throw new GraphValueError(
      "checkpointer: true is for graphs that another graph calls. Give a root graph a saver.",
      { code: "MISSING_CHECKPOINTER" },
    );
  }
  const lacks = NEEDED.filter((name) => !hasMethod(checkpointer, name));
  if (lacks.length === 0) return checkpointer;
  throw new GraphValueError(
    `The checkpointer lacks ${lacks.map((name) => `${name}()`).join(", ")}. Pass an instance, as in {checkpointer: new MemorySaver()}.`,
  );
}

/** Programs without types also pass null. */
function hasMethod(value: object | null, name: string): boolean {
  return typeof (value as Record<string, unknown> | null)?.[name] === "function";
}
