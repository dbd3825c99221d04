import { GraphError, shown } from "@skein/errors";
import { BaseCheckpointSaver } from "../base/saver.ts";

/** @throws GraphError INVALID_CONFIGURATION for what is no saver */
export function requireSaver(saver: unknown): void {
  if (saver instanceof BaseCheckpointSaver) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `The first argument is a saver, such as the checkpointer of a graph, not ${shown(saver)}.`,
  );
}
