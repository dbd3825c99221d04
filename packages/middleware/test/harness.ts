import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { isCompaction } from "@skein/agent";
import type { RollingSummary, SummarizerStatus } from "@skein/context";
import type { CompactionUpdate, SummarizationNode } from "../src/summarization/index.ts";

/** A thread's state as a graph would keep it, with writes applied by the rules of the dual track. */
export interface Thread {
  messages: BaseMessage[];
  history: BaseMessage[];
  _summary?: RollingSummary[] | undefined;
  _summaryStatus?: SummarizerStatus | null | undefined;
}

export const newThread = (): Thread => ({ messages: [], history: [], _summary: [], _summaryStatus: null });

export function append(thread: Thread, ...messages: BaseMessage[]): void {
  thread.messages = [...thread.messages, ...messages];
  thread.history = [...thread.history, ...messages];
}

export function apply(thread: Thread, update: CompactionUpdate | undefined): void {
  if (update?.messages !== undefined) thread.messages = applied(thread.messages, update.messages);
  if (update?._summary !== undefined) thread._summary = update._summary;
  if (update?._summaryStatus !== undefined) thread._summaryStatus = update._summaryStatus;
}

function applied(messages: readonly BaseMessage[], write: unknown): BaseMessage[] {
  if (!isCompaction(write)) throw new Error("not a compaction");
  const gone = new Set(write.remove);
  const at = messages.findIndex((message) => gone.has(message.id as string));
  const before = messages.slice(0, at).filter((message) => !gone.has(message.id as string));
  const after = messages.slice(at).filter((message) => !gone.has(message.id as string));
  return [...before, ...(write.summary === undefined ? [] : [write.summary]), ...after];
}

let serial = 0;
export const user = (content: string): HumanMessage => new HumanMessage({ content, id: `u${serial++}` });
export const assistant = (content: string): AIMessage => new AIMessage({ content, id: `a${serial++}` });

/** Runs turns of a question and an answer, with the node where a model would be called. */
export async function talk(thread: Thread, node: SummarizationNode, turns: number, from = 0): Promise<void> {
  for (let turn = from; turn < from + turns; turn++) {
    append(thread, user(`Question ${turn}: where is order O${turn}, and when will it arrive?`));
    apply(thread, await node(thread, {}));
    append(thread, assistant(`Order O${turn} left the warehouse and arrives within ${turn} days.`));
  }
}
