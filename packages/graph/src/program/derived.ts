import type { BaseChannel } from "../channels/base.ts";
import type { Program, ProgramNode } from "./program.ts";
import { pushTo } from "../channels/push-to.ts";

type Derived = Pick<Program, "triggers" | "deferred" | "replayed" | "echoes">;

/** What a program says twice, so that a step need not look for it: by channel, and by kind of channel. */
export function derived(
  nodes: ReadonlyMap<string, ProgramNode>,
  channels: ReadonlyMap<string, BaseChannel>,
): Derived {
  const replayed = [...channels].filter(([, channel]) => channel.snapshotEvery !== undefined);
  const echoes = [...channels].flatMap(([name, { echo }]): [string, string][] =>
    echo === undefined ? [] : [[name, echo]],
  );
  return {
    triggers: wakes(nodes),
    deferred: [...channels].filter(([, channel]) => channel.deferred).map(([name]) => name),
    replayed: replayed.length === 0 ? undefined : replayed.map(([name]) => name),
    echoes: echoes.length === 0 ? undefined : echoes,
  };
}

function wakes(nodes: ReadonlyMap<string, ProgramNode>): Map<string, ProgramNode[]> {
  const index = new Map<string, ProgramNode[]>();
  for (const node of nodes.values()) {
    for (const channel of node.triggers) pushTo(index, channel, node);
  }
  return index;
}
