import { PostgresSaver } from "../../src/postgres/index.ts";
import { SqliteSaver } from "../../src/sqlite/index.ts";

/** Opens the database that another process was given: a path, or `postgres://...#SCHEMA`. */
export function openTarget(target: string): SqliteSaver | PostgresSaver {
  const [url, schema] = target.split("#") as [string, string | undefined];
  return schema === undefined
    ? SqliteSaver.fromConnString(target)
    : PostgresSaver.fromConnString(url, { schema });
}
