import type { Awaitable } from "@skein/checkpointer";
import { Overwrite } from "../channels/overwrite.ts";
import { parseField, type StandardSchema } from "./standard.ts";

/** An Overwrite is checked by the schema of the value, not by that of a write. */
export function parseOverwrite(
  schema: StandardSchema,
  key: string,
  { value }: Overwrite,
): Awaitable<Overwrite> {
  const parsed = parseField(schema, key, value);
  return parsed instanceof Promise ? parsed.then((v) => new Overwrite(v)) : new Overwrite(parsed);
}
