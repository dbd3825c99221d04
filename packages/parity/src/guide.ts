import { readFileSync } from "node:fs";

const guide = readFileSync(new URL("../../../docs/migration.md", import.meta.url), "utf8");

/** What the migration guide's table under a heading lists, with its reasons. */
export function listed(heading: string): ReadonlyMap<string, string> {
  const section = guide.split(`### ${heading}\n`)[1]?.split(/^##/m)[0] ?? "";
  const rows = [...section.matchAll(/^\| (`.+`) \| (.+) \|$/gm)];
  return new Map(
    rows.flatMap(([, names = "", why = ""]) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => [name, why]),
    ),
  );
}
