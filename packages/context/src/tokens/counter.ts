import type { BaseMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { isUser, toolCallsOf } from "../messages/kinds.ts";
import { contentParts } from "../messages/text.ts";
import { estimateTokenizer, type Tokenizer } from "./tokenizer.ts";

/** Tokens that a provider adds around each message, and once around a conversation. */
export const MESSAGE_OVERHEAD = 4;
export const CONVERSATION_OVERHEAD = 3;
/** An image counts as this, however many bytes it has. Other media too. */
export const IMAGE_TOKENS = 512;

/** Running totals of one list of messages. Sums are of messages only, without {@link CONVERSATION_OVERHEAD}. */
export interface Totals {
  readonly tokens: number;
  /** User messages. */
  readonly turns: number;
  /** Tokens of `messages[from]` up to, not including, `messages[to]`. */
  between(from: number, to: number): number;
  /** User messages in the same range. */
  turnsBetween(from: number, to: number): number;
}

/**
 * Counts messages, each once in its life: the count is kept with the message object and taken again
 * if its content or its tool calls were exchanged. Messages are values: put a new object with the
 * same id in the list. A block changed inside an array, or an object changed in place that stands
 * more than 250 messages before the end, keeps its count in {@link totals}.
 */
export interface TokenCounter {
  readonly name: string;
  text(text: string): number;
  /** One message with its overhead, tool calls included. */
  message(message: BaseMessage): number;
  /** A list as it goes to a model: its messages and the overhead of the conversation. */
  messages(messages: readonly BaseMessage[]): number;
  /** Running totals; for a list that grew from one counted before, only what is new is counted. */
  totals(messages: readonly BaseMessage[]): Totals;
  /** The schemas of tools, in any form that LangChain can bind to a model. */
  tools(tools: readonly unknown[]): number;
}

export interface TokenCounterOptions {
  /** Default: the estimate, which loads nothing. */
  readonly tokenizer?: Tokenizer;
  /** Default 512. */
  readonly imageTokens?: number;
  /** Counts one message in your own way, overhead included; the rest is done as usual. */
  readonly countMessage?: (message: BaseMessage) => number;
}

/**
 * @example
 * const counter = createTokenCounter({ tokenizer: await loadTiktoken() });
 * counter.messages([new HumanMessage("hi")]); // 8
 */
export function createTokenCounter(options: TokenCounterOptions = {}): TokenCounter {
  return new CachedCounter(options);
}

interface Entry {
  readonly content: unknown;
  readonly length: number;
  readonly calls: unknown;
  readonly callCount: number;
  readonly tokens: number;
}

/** What is known of one list: its messages, their entries, and the sums before each position. */
interface Track {
  readonly messages: BaseMessage[];
  readonly entries: Entry[];
  readonly tokens: number[];
  readonly turns: number[];
}

class CachedCounter implements TokenCounter {
  readonly name: string;
  readonly #tokenizer: Tokenizer;
  readonly #imageTokens: number;
  readonly #countMessage: (message: BaseMessage) => number;
  readonly #entries = new WeakMap<BaseMessage, Entry>();
  /** By a list's first message: a thread's lists share it from turn to turn. Losing a track costs time only. */
  readonly #tracks = new WeakMap<BaseMessage, Track>();
  readonly #tools = new WeakMap<object, number>();

  constructor(options: TokenCounterOptions) {
    this.#tokenizer = options.tokenizer ?? estimateTokenizer;
    this.name = options.countMessage === undefined ? this.#tokenizer.name : "custom";
    this.#imageTokens = options.imageTokens ?? IMAGE_TOKENS;
    this.#countMessage = options.countMessage ?? ((message) => this.#measure(message));
  }

  text(text: string): number {
    return this.#tokenizer.count(text);
  }

  message(message: BaseMessage): number {
    return this.#entry(message).tokens;
  }

  messages(messages: readonly BaseMessage[]): number {
    return this.totals(messages).tokens + CONVERSATION_OVERHEAD;
  }

  totals(messages: readonly BaseMessage[]): Totals {
    const first = messages[0];
    if (first === undefined) return new Sums([0], [0], 0);
    const known = this.#tracks.get(first);
    const track = this.#extend(known ?? { messages: [], entries: [], tokens: [0], turns: [0] }, messages);
    if (track !== known) this.#tracks.set(first, track);
    return new Sums(track.tokens, track.turns, messages.length);
  }

  tools(tools: readonly unknown[]): number {
    let sum = 0;
    for (const tool of tools) sum += this.#tool(tool);
    return sum;
  }

  #extend(track: Track, messages: readonly BaseMessage[]): Track {
    const known = sharedPrefix(track, messages);
    if (known === messages.length) return track;
    // Sums handed out for the other branch keep its arrays, hence copies and no truncation.
    const grown = known === track.messages.length ? track : prefixOf(track, known);
    for (let i = known; i < messages.length; i++) {
      const message = messages[i] as BaseMessage;
      const entry = this.#entry(message);
      grown.messages.push(message);
      grown.entries.push(entry);
      grown.tokens.push((grown.tokens[i] as number) + entry.tokens);
      grown.turns.push((grown.turns[i] as number) + (isUser(message) ? 1 : 0));
    }
    return grown;
  }

  #entry(message: BaseMessage): Entry {
    const known = this.#entries.get(message);
    if (known !== undefined && isFresh(known, message)) return known;
    const calls = callsField(message);
    const entry: Entry = {
      content: message.content,
      length: message.content?.length ?? 0,
      calls,
      callCount: calls?.length ?? 0,
      tokens: this.#countMessage(message),
    };
    this.#entries.set(message, entry);
    return entry;
  }

  #measure(message: BaseMessage): number {
    let sum = MESSAGE_OVERHEAD;
    for (const part of contentParts(message.content)) {
      sum += "text" in part ? this.#tokenizer.count(part.text) : this.#imageTokens;
    }
    if (message.name !== undefined && isUser(message)) sum += this.#tokenizer.count(message.name);
    for (const call of toolCallsOf(message)) {
      sum += this.#tokenizer.count(call.name) + this.#tokenizer.count(JSON.stringify(call.args ?? {}));
    }
    return sum;
  }

  #tool(tool: unknown): number {
    if (typeof tool !== "object" || tool === null) return this.text(String(tool));
    let tokens = this.#tools.get(tool);
    if (tokens === undefined) {
      tokens = this.text(schemaOf(tool));
      this.#tools.set(tool, tokens);
    }
    return tokens;
  }
}

class Sums implements Totals {
  readonly #tokens: readonly number[];
  readonly #turns: readonly number[];
  readonly #length: number;

  constructor(tokens: readonly number[], turns: readonly number[], length: number) {
    this.#tokens = tokens;
    this.#turns = turns;
    this.#length = length;
  }

  get tokens(): number {
    return this.#tokens[this.#length] as number;
  }

  get turns(): number {
    return this.#turns[this.#length] as number;
  }

  between(from: number, to: number): number {
    return (this.#tokens[to] as number) - (this.#tokens[from] as number);
  }

  turnsBetween(from: number, to: number): number {
    return (this.#turns[to] as number) - (this.#turns[from] as number);
  }
}

function prefixOf(track: Track, length: number): Track {
  return {
    messages: track.messages.slice(0, length),
    entries: track.entries.slice(0, length),
    tokens: track.tokens.slice(0, length + 1),
    turns: track.turns.slice(0, length + 1),
  };
}

/** How many messages are looked at for edits in place; see {@link sharedPrefix}. */
const RECHECKED = 250;

/**
 * How many messages a list shares with a track. Every message is compared by identity, which is a
 * walk through two arrays; only the newest 250 are looked into, because touching 10,000 objects
 * costs more than the rest of a turn's planning.
 */
function sharedPrefix(track: Track, messages: readonly BaseMessage[]): number {
  const known = track.messages;
  let shared = 0;
  const most = Math.min(known.length, messages.length);
  while (shared < most && messages[shared] === known[shared]) shared++;
  for (let i = Math.max(0, shared - RECHECKED); i < shared; i++) {
    if (!isFresh(track.entries[i] as Entry, messages[i] as BaseMessage)) return i;
  }
  return shared;
}

/** Hazard: messages are mutable. A content or a list of calls that was exchanged or grew is counted again. */
function isFresh(entry: Entry, message: BaseMessage): boolean {
  if (entry.content !== message.content) return false;
  const calls = callsField(message);
  if (entry.calls !== calls || (calls !== undefined && entry.callCount !== calls.length)) return false;
  return typeof entry.content === "string" || entry.length === (message.content?.length ?? 0);
}

function callsField(message: BaseMessage): readonly unknown[] | undefined {
  return (message as { tool_calls?: readonly unknown[] }).tool_calls;
}

/** What a provider is sent for a tool; of one whose schema has no JSON form, name and description. */
function schemaOf(tool: object): string {
  try {
    return JSON.stringify(convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0]));
  } catch {
    const { name, description } = tool as { name?: unknown; description?: unknown };
    return `${String(name)} ${String(description)}`;
  }
}
