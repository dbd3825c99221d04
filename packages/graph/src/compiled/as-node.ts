import type { Awaitable } from "@skein/checkpointer";
import { logOf } from "../engine/prepare.ts";
import { isStateful } from "../ids/namespace.ts";
import type { Program } from "../program/program.ts";
import { materialise } from "../run/read.ts";
import { inheritedBy, type Run } from "../run/run.ts";

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
    const added = all.filter((element) => !before.has(element));
    output[key] = await newTo(run, key, added);
  }
}

/** Without what the caller has in its archive: a graph that keeps its state has it from earlier calls. */
function newTo({ options }: Run, key: string, added: unknown[]): Awaitable<unknown[]> {
  const caller = inheritedBy(options.parent)?.snapshot;
  const log = caller && isStateful(options.namespace) && logOf(caller, key);
  return (log && caller.slot(key)?.channel.handedBack(added, log)) || added;
}
