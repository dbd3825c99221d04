import { hash53 } from "../core/hash.ts";
import { TYPES, type PostgresQuery } from "./driver.ts";

/** A query whose text is parsed and planned once per connection. */
export interface Statement {
  readonly text: string;
  bind(values: readonly unknown[]): PostgresQuery;
}

/** Sends a statement. */
export type Run = <Row extends readonly unknown[]>(query: Statement, ...values: unknown[]) => Promise<Row[]>;

type BoundQuery = new (values: readonly unknown[]) => PostgresQuery;

/** @param text - every value in it is bound; only the quoted name of the schema is part of it */
export function statement(text: string): Statement {
  // made when it is first sent: a process sends few of the hundred there are
  let made: BoundQuery | undefined;
  return { text, bind: (values) => new (made ??= boundQuery(text))(values) };
}

function boundQuery(text: string): BoundQuery {
  const name = `skein_${hash53(text).toString(36)}`;
  /** The driver copies each query, own property by own property; what is always the same is inherited. */
  return class implements PostgresQuery {
    readonly values: unknown[];

    constructor(values: readonly unknown[]) {
      this.values = values as unknown[];
    }
    get name(): string {
      return name;
    }
    get text(): string {
      return text;
    }
    get rowMode(): "array" {
      return "array";
    }
    get types(): PostgresQuery["types"] {
      return TYPES;
    }
  };
}
