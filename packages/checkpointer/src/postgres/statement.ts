import { hash53 } from "../core/hash.ts";

/** A query whose text is parsed and planned once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** @param text - every value in it is bound; only the quoted name of the schema is part of it */
export function statement(text: string): Statement {
  return { name: `skein_${hash53(text).toString(36)}`, text };
}
