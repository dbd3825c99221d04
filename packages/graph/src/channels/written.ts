import { Overwrite } from "./overwrite.ts";

/** Adds the objects that a write holds: what a node edited in place and returned is written anew. */
export function noteObjects(written: Set<unknown>, write: unknown): void {
  const value = Overwrite.isInstance(write) ? write.value : write;
  for (const element of Array.isArray(value) ? value : [value]) {
    if (typeof element === "object" && element !== null) written.add(element);
  }
}
