import type { Awaitable } from "@skein/checkpointer";
import type { Snapshot } from "./snapshot.ts";
import { andThen, forAll } from "../channels/and-then.ts";

/**
 * Brings logs up to date that stayed behind their channels. Another engine writes a channel and knows
 * no echo, so what it appended is in no log: a compaction would take it out of the thread for good.
 *
 * Ours gives both one version when it appends (I1). A log with a lower one may have missed something;
 * a compaction leaves it so, too, and then nothing is found.
 */
export function catchUp(snapshot: Snapshot): Awaitable<void> {
  return forAll(snapshot.program.echoes ?? [], ([name, echo]) =>
    isBehind(snapshot, name, echo) ? catchUpOne(snapshot, name, echo) : undefined,
  );
}

function isBehind(snapshot: Snapshot, name: string, echo: string): boolean {
  const { sourceVersions: versions } = snapshot;
  if (!Object.hasOwn(versions, name)) return false;
  if (!Object.hasOwn(versions, echo) || (versions[echo] as number) < (versions[name] as number)) return true;
  // of a channel that it does not know, LangGraph drops the value and keeps the version
  return snapshot.slot(echo)?.channel.entries === 0;
}

function catchUpOne(snapshot: Snapshot, name: string, echo: string): Awaitable<void> {
  const channel = snapshot.slot(name)?.channel;
  const log = snapshot.slot(echo);
  if (channel === undefined || log === undefined) return undefined;
  const append = (): void => {
    if (!log.channel.append(channel.takeEcho())) return;
    log.version = snapshot.version = snapshot.nextVersion(snapshot.version);
    snapshot.changed.add(log);
    snapshot.touched(log);
  };
  return andThen(channel.catchUp(log.channel), append);
}
