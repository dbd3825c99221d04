import type { Program } from "../program/program.ts";
import { materialise } from "../run/read.ts";
import type { Run } from "../run/run.ts";

/**
 * Makes of a graph's output what it returns as a node of another one. Of a key that the caller merges
 * that is what it wrote, and of one that echoes into an archive what it added, not what is left: the
 * caller has the rest, and a compaction in here is none there.
 */
export async function handBack(
  program: Program,
  run: Run,
  input: unknown,
  output: Record<string, unknown>,
): Promise<void> {
  const given = (input ?? {}) as Record<string, unknown>;
  for (const key of Object.keys(output)) {
    const channel = program.channels.get(key);
    if (channel && run.handback?.keys.has(key)) {
      const handed = run.handback.result(key, given[key], output[key], channel);
      if (handed === undefined) delete output[key];
      else output[key] = handed[0];
      continue;
    }
    if (channel?.direct === false) delete output[key];
    const archive = channel?.echo;
    if (archive === undefined || !program.channels.has(archive)) continue;
    await materialise(run.snapshot, [archive]);
    const before = new Set(Array.isArray(given[key]) ? (given[key] as unknown[]) : []);
    const all = run.snapshot.read([archive])[archive] as unknown[];
    output[key] = all.filter((element) => !before.has(element));
  }
}
