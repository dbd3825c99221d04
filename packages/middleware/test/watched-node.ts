import {
  type CompactionEvent,
  summarizationNode,
  type SummarizationOptions,
} from "../src/summarization/index.ts";

/** A window of 6 messages that is compacted at 8. */
export const base = { trigger: { messages: 8 }, keep: { messages: 6 }, now: () => 1000 } as const;

/** The node, and what it reports. */
export function watched(options: Partial<SummarizationOptions>) {
  const events: CompactionEvent[] = [];
  const node = summarizationNode({ ...base, onEvent: (event) => events.push(event), ...options });
  const of = <Type extends CompactionEvent["type"]>(type: Type) =>
    events.filter((event): event is Extract<CompactionEvent, { type: Type }> => event.type === type);
  return { node, events, of };
}

export const covered = (ends: readonly { coveredIds: readonly string[] }[]): string[] =>
  ends.flatMap((end) => [...end.coveredIds]);
