import { GraphError } from "@skein/errors";
import type { Json } from "./types.ts";

/** Parses stored JSON text. @throws GraphError STORAGE_CORRUPT */
export function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new GraphError(
      "STORAGE_CORRUPT",
      "A stored value is not the JSON text that was written. The storage was damaged or written to by another program; restore it from a backup.",
      { cause },
    );
  }
}

/** For text that is JSON, but not of the form that was written. */
export function damaged(expected: string, cause?: unknown): GraphError {
  return new GraphError(
    "STORAGE_CORRUPT",
    `A stored value does not have the form that was written: ${expected} was expected. The storage was damaged or written to by another program; restore it from a backup.`,
    { cause },
  );
}
