import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder } from "./folder.ts";
import { inside } from "./inside.ts";

it("search finds messages of the history only, also where summaries say the same", async () => {
  const turns = Array.from({ length: 20 }, (_, turn) => [
    { role: "user", content: `hello kettle ${turn}` },
    { role: "assistant", content: "It boils." },
  ]);
  const cwd = makeFolder({ "a.jsonl": `${JSON.stringify({ id: "a", messages: turns.flat() })}\n` });
  const db = join(cwd, "skein.db");
  await inside(["replay", "a.jsonl", "--window", "4", "--trigger", "6", "--db", db], { cwd });
  const { json: shown } = await inside(["show", "a", "--db", db, "--json"]);
  const { history, summary } = shown[0] as { history: { id: string }[]; summary: { covers: number } };
  expect(summary.covers).toBeGreaterThan(30);

  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const after = cursor === undefined ? [] : ["--cursor", cursor];
    const { json } = await inside(["search", "a", "kettle", "--limit", "8", "--db", db, "--json", ...after]);
    const page = json[0] as { hits: { id: string }[]; cursor: string | null };
    ids.push(...page.hits.map(({ id }) => id));
    ({ cursor } = page);
  }
  const asked = history.map(({ id }) => id).filter((_, at) => at % 2 === 0);
  expect(ids.toSorted()).toEqual(asked.toSorted());
  const { stdout } = await inside(["search", "a", "kettle", "--limit", "3", "--db", db]);
  expect(stdout.match(/user +hello kettle/g)).toHaveLength(3);
});
