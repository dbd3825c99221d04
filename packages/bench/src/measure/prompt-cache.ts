import { readFileSync } from "node:fs";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import {
  createTokenCounter,
  extractiveSummarizer,
  fromRecorded,
  planLoopView,
  repair,
  textOf,
} from "@skein/context";
import { numberOf, textOf as paramOf, type Figures, type Params } from "../protocol.ts";
import type { Side } from "../sides.ts";

const counter = createTokenCounter();

/** Shares of the maximum: what a compaction leaves, and how long a summary may be. */
const TARGET = 0.4;
const SUMMARY = 0.08;

/** Prompts of one thread, in order, and which of its messages a summary took in. */
interface Replayed {
  readonly prompts: readonly BaseMessage[][];
  readonly covered: ReadonlySet<string>;
  readonly history: readonly BaseMessage[];
}

/**
 * Replays real threads, joined into one, with three ways to keep the context below one maximum:
 * Skein's summaries, LangChain's `summarizationMiddleware`, and (the floor) a plain window over the
 * newest messages. Shares are of tokens, by our estimate.
 */
export async function promptCache(side: Side, params: Params): Promise<Figures> {
  const history = historyOf(paramOf(params, "file"), numberOf(params, "messages"));
  const most = numberOf(params, "maximum");
  if (side === "floor") return figuresOf(windowed(history, most));
  if (side === "langgraph") return figuresOf(await theirs(history, most));
  const replayed = figuresOf(await ours(history, most));
  const loops = figuresOf(await runLoopsOf(history));
  return { ...replayed, loopsUnchanged: loops["unchanged"] ?? 0, loopsSent: loops["sent"] ?? 0 };
}

/** System messages of the recordings stay outside: each would reset the thread. */
function historyOf(file: string, most: number): BaseMessage[] {
  const lines = readFileSync(file, "utf8").split("\n");
  const messages = lines
    .filter((line) => line !== "")
    .flatMap((line) => fromRecorded(line).messages)
    .filter(({ type }) => type !== "system");
  const whole = repair(messages.slice(0, most)).messages;
  return whole.map((message, index) => Object.assign(message, { id: `m${index}` }));
}

const isAnswer = (history: readonly BaseMessage[], at: number): boolean => history[at]?.type === "ai";

/** The newest messages that fit; it begins with a user message, as providers want it. */
function windowed(history: readonly BaseMessage[], most: number): Replayed {
  const prompts: BaseMessage[][] = [];
  for (let at = 0; at < history.length; at++) {
    if (!isAnswer(history, at)) continue;
    let from = at;
    for (let tokens = 0; from > 0; from--) {
      tokens += counter.message(history[from - 1] as BaseMessage);
      if (tokens > most) break;
    }
    while (from < at - 1 && history[from]?.type !== "human") from++;
    prompts.push(history.slice(from, at));
  }
  return { prompts, covered: new Set(), history };
}

/** As it is in an agent, without one: the node, and what it writes, by the reducer of messages. */
async function ours(history: readonly BaseMessage[], most: number): Promise<Replayed> {
  const { summarizationNode } = await import("@skein/middleware/summarization");
  const covered = new Set<string>();
  const node = summarizationNode({
    summarizer: "extractive",
    trigger: { tokens: most },
    target: { tokens: Math.floor(most * TARGET) },
    summaryTokens: Math.floor(most * SUMMARY),
    max: { tokens: most },
    onEvent: (event) => {
      if (event.type === "compaction-end") for (const id of event.coveredIds) covered.add(id);
    },
  });
  const memory = {
    full_messages: [],
    _summary: [],
    _summaryStatus: null,
    _summaryAhead: null,
    _omitted: null,
  };
  const prompts = await replay(history, memory, (state) => node(state));
  return { prompts, covered, history };
}

/** The view of loops, with the numbers of its preset; it knows no maximum. */
async function runLoopsOf(history: readonly BaseMessage[]): Promise<Replayed> {
  const { RUN_LOOPS } = await import("@skein/middleware/presets");
  const prompts = await replay(history, {}, async ({ messages }) => {
    const { remove, replace } = planLoopView(messages, { ...RUN_LOOPS, now: 0, counter });
    const gone = remove.map((id) => new RemoveMessage({ id }));
    return gone.length + replace.length === 0 ? undefined : { messages: [...gone, ...replace] };
  });
  return { prompts, covered: new Set(), history };
}

/** As its documentation sets it up: a trigger in tokens, and the last 20 messages stay. */
async function theirs(history: readonly BaseMessage[], most: number): Promise<Replayed> {
  const { summarizationMiddleware } = await import("langchain");
  const covered = new Set<string>();
  const extract = extractiveSummarizer(counter);
  const model = new FakeSummarizer((prompt) => {
    for (const message of history) if (isQuoted(message, prompt)) covered.add(message.id as string);
    return extract({ messages: [new AIMessage(prompt)], maxTokens: Math.floor(most * SUMMARY) });
  });
  const { beforeModel } = summarizationMiddleware({
    model: model as never,
    trigger: { tokens: most },
    keep: { messages: 20 },
    tokenCounter: (messages: BaseMessage[]) => counter.messages(messages),
  } as never);
  const hook = (typeof beforeModel === "function" ? beforeModel : beforeModel?.hook) as unknown as Hook;
  const prompts = await replay(history, {}, (state) => hook(state, { context: {} }));
  return { prompts, covered, history };
}

type Hook = (state: State, runtime: object) => Promise<Partial<State> | undefined>;
interface State {
  readonly messages: BaseMessage[];
}

/** Whether a message is in what a summarizer was asked with. One without text is known by its calls. */
function isQuoted(message: BaseMessage, prompt: string): boolean {
  const text = textOf(message).trim();
  if (text !== "") return prompt.includes(text);
  const { tool_calls: calls = [] } = message as AIMessage;
  return calls.some(({ id }) => id !== undefined && prompt.includes(id));
}

/** The prompts of one thread: the hook stands before every recorded answer. */
async function replay<More extends object>(
  history: readonly BaseMessage[],
  memory: More,
  hook: (state: State & More) => Promise<object | undefined>,
): Promise<BaseMessage[][]> {
  const { messagesStateReducer } = await import("@langchain/langgraph");
  const prompts: BaseMessage[][] = [];
  let state: State & More = { ...memory, messages: [] };
  for (const [at, message] of history.entries()) {
    if (isAnswer(history, at)) {
      const { messages, ...rest } = ((await hook(state)) ?? {}) as Partial<State & More>;
      state = {
        ...state,
        ...rest,
        messages: messages === undefined ? state.messages : messagesStateReducer(state.messages, messages),
      };
      prompts.push([...repair(state.messages).messages]);
    }
    state = { ...state, messages: [...state.messages, message] };
  }
  return prompts;
}

class FakeSummarizer extends BaseChatModel {
  readonly #answer: (prompt: string) => string;
  constructor(answer: (prompt: string) => string) {
    super({});
    this.#answer = answer;
  }
  override _llmType(): string {
    return "extractive";
  }
  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const text = this.#answer(messages.map(textOf).join("\n"));
    return { generations: [{ text, message: new AIMessage(text) }] };
  }
}

function figuresOf({ prompts, covered, history }: Replayed): Figures {
  let sent = 0;
  let unchanged = 0;
  let largest = 0;
  let before: readonly string[] = [];
  const shown = new Set<string>();
  const last = prompts.at(-1) ?? [];
  for (const prompt of prompts) {
    const lines = prompt.map(asText);
    const tokens = prompt.map((message) => counter.message(message));
    const whole = tokens.reduce((sum, one) => sum + one, 0);
    let same = 0;
    while (same < lines.length && lines[same] === before[same]) same++;
    sent += whole;
    unchanged += tokens.slice(0, same).reduce((sum, one) => sum + one, 0);
    largest = Math.max(largest, whole);
    before = lines;
  }
  for (const message of last) if (message.id !== undefined) shown.add(message.id);
  // what came before the last prompt: the rest was in none
  const said = history.slice(
    0,
    history.findLastIndex((_, at) => isAnswer(history, at)),
  );
  const known = said.filter(({ id }) => shown.has(id as string) || covered.has(id as string));
  return {
    calls: prompts.length,
    unchanged: (unchanged / sent) * 100,
    sent,
    largest,
    coverage: (known.length / Math.max(1, said.length)) * 100,
  };
}

/** What a provider is sent of a message; ids and metadata stay here. */
function asText(message: BaseMessage): string {
  const { tool_calls: calls, tool_call_id: answers } = message as {
    tool_calls?: unknown;
    tool_call_id?: unknown;
  };
  return JSON.stringify([message.type, message.content, calls ?? null, answers ?? null]);
}
