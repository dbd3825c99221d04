import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";

/**
 * Tool messages without their call directly before them, and calls without their result directly
 * after them. Written apart from the code that it checks: this is the rule of the providers.
 */
export function orphansIn(request: readonly BaseMessage[]): number {
  let orphans = 0;
  let open: string[] = [];
  for (const message of request) {
    if (ToolMessage.isInstance(message)) {
      const at = open.indexOf(message.tool_call_id);
      if (at < 0) orphans += 1;
      else open.splice(at, 1);
      continue;
    }
    orphans += open.length;
    open = AIMessage.isInstance(message) ? (message.tool_calls ?? []).map((call) => call.id ?? "") : [];
  }
  return orphans + open.length;
}

/**
 * Follows which messages of a thread the model can still know: in the window, or taken in by a
 * summarizer call that succeeded. Costs what the window costs, not what the thread costs.
 */
export class CoverageWatch {
  private readonly uncovered = new Set<string>();
  private readonly covered = new Set<string>();

  /** A message entered the thread. It may have been compacted before anybody looked. */
  add(id: string): void {
    if (!this.covered.has(id)) this.uncovered.add(id);
  }

  /** A summarizer took it in. */
  cover(ids: Iterable<string>): void {
    for (const id of ids) {
      this.covered.add(id);
      this.uncovered.delete(id);
    }
  }

  /** Ids that are neither covered nor in the window. */
  missingFrom(window: readonly BaseMessage[]): string[] {
    const visible = new Set(window.map((message) => message.id));
    return [...this.uncovered].filter((id) => !visible.has(id));
  }
}
