import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { createMiddleware } from "@skein/agent";
import { createTokenCounter, isMarkedSummary } from "@skein/context";
import { contentHash, type Journal } from "./journal.ts";
import { tell, type WorkerTask } from "./protocol.ts";

/** Looks over the agent's shoulder and writes what it is told into the journal. */
export class Watch {
  private readonly journal: Journal;
  private readonly task: WorkerTask;
  private readonly counter = createTokenCounter();
  /** Tokens of every message of the thread, as far as this process has seen it. */
  private readonly tokens = new Map<string, number>();
  private readonly acknowledged = new Set<string>();
  private readonly answered = new Set<string>();
  private wholeTokens = 0;
  private wake: () => void = () => {};

  constructor(journal: Journal, task: WorkerTask, history: readonly BaseMessage[]) {
    this.journal = journal;
    this.task = task;
    for (const message of history) this.see(message);
    this.acknowledged = new Set(history.map((message) => message.id ?? ""));
  }

  get messages(): number {
    return this.acknowledged.size;
  }

  /** The engine reported this message: it must be on disk by now, and stay there. */
  acknowledge(message: BaseMessage): void {
    const id = message.id ?? "";
    this.see(message);
    this.acknowledged.add(id);
    const answers = ToolMessage.isInstance(message) ? { callId: message.tool_call_id } : {};
    this.journal.append({ type: "message", id, hash: contentHash(message), ...answers });
    if (answers.callId !== undefined) this.answered.add(answers.callId);
    this.wake();
  }

  compacted(messages: number): void {
    this.journal.append({ type: "compaction", messages });
  }

  private see(message: BaseMessage): void {
    const id = message.id ?? "";
    if (this.tokens.has(id) || isMarkedSummary(message)) return;
    const tokens = this.counter.message(message);
    this.tokens.set(id, tokens);
    this.wholeTokens += tokens;
  }

  /** The innermost middleware: it sees the requests and calls that really happen. */
  middleware() {
    return createMiddleware({
      name: "TourWatch",
      wrapModelCall: (request, handler) => {
        for (const message of request.messages) this.see(message);
        const fixed = this.counter.message(request.systemMessage) + this.counter.tools(request.tools);
        const sent = fixed + this.counter.messages(request.messages);
        this.journal.append({
          type: "request",
          sent,
          whole: fixed + this.counter.messages([]) + this.wholeTokens,
        });
        return handler(request);
      },
      wrapToolCall: async (request, handler) => {
        const callId = request.toolCall.id ?? "";
        this.journal.append({ type: "tool-start", callId, pid: process.pid });
        const result = await handler(request);
        this.journal.append({ type: "tool-end", callId, pid: process.pid });
        await this.maybeHold(callId, request.state.messages);
        return result;
      },
    });
  }

  /**
   * Holds the last call of a superstep once the others are acknowledged. Waiting for the others is
   * waiting for the engine's reports, not for time, so the kill always finds the same situation.
   */
  private async maybeHold(callId: string, messages: readonly BaseMessage[]): Promise<void> {
    const { holdAt } = this.task;
    if (holdAt === undefined || this.messages < holdAt) return;
    const calls = messages.findLast((message) => AIMessage.isInstance(message))?.tool_calls ?? [];
    const others = calls.flatMap((call) => (call.id === undefined || call.id === callId ? [] : [call.id]));
    const late = this.messages > (holdAt + this.task.messages) / 2;
    if (calls.at(-1)?.id !== callId || (others.length === 0 && !late)) return;
    while (!others.every((id) => this.answered.has(id))) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    await tell({ type: "holding", callId, finished: others });
    await new Promise(() => {});
  }
}
