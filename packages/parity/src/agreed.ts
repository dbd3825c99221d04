import type { Plain } from "./normalise.ts";

/**
 * Our recording, with those errors replaced by theirs that are as good: where LangGraph throws a
 * plain `Error` of its own, any error class of ours will do (docs/decisions/2026-11-21-errors-package.md).
 */
export function agreed(ours: Plain, theirs: Plain): Plain {
  if (isPlainError(theirs) && isError(ours)) return theirs;
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    return ours.map((element, index) => agreed(element, theirs[index] ?? null));
  }
  if (!isRecord(ours) || !isRecord(theirs)) return ours;
  return Object.fromEntries(
    Object.entries(ours).map(([key, field]) => [key, agreed(field, theirs[key] ?? null)]),
  );
}

function isRecord(value: Plain): value is { [key: string]: Plain } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isError = (value: Plain): boolean => isRecord(value) && "$error" in value;

/** Thrown by the engine itself, without a class or a code of its own. */
function isPlainError(value: Plain): boolean {
  return (
    isRecord(value) && value["$error"] === "Error" && value["code"] === null && value["message"] === null
  );
}
