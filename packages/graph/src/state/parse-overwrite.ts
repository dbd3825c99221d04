import type { Awaitable } from "@skein/checkpointer";
import { Overwrite } from "../channels/overwrite.ts";
import { parseField, type StandardSchema } from "./standard.ts";
import { andThen } from "../channels/and-then.ts";

/** An Overwrite is checked by the schema of the value, not by that of a write. */
export function parseOverwrite(
  schema: StandardSchema,
  key: string,
  { value }: Overwrite,
): Awaitable<Overwrite> {
  return andThen(parseField(schema, key, value), (parsed) => new Overwrite(parsed));
}
