import type { BaseMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { GraphError, requireKnownOptions, type OptionKind } from "@skein/errors";
import { argumentsText } from "../messages/json.ts";
import { isUser, toolCallsOf } from "../messages/kinds.ts";
import { isFresh } from "../messages/look.ts";
import { contentParts } from "../messages/text.ts";
import { estimateTokenizer, type Tokenizer } from "./tokenizer.ts";
import { branchOf, emptyTrack, entryOf, type Entry, type Track } from "./track.ts";

/** Tokens that a provider adds around each message. */
export const MESSAGE_OVERHEAD = 4;
/** Tokens that it adds once around a conversation. */
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
 * same id in the list. A block changed inside an array keeps its count; an object changed in place that
 * stands more than 32 messages before the end keeps it in {@link totals} until its turn comes to be
 * looked at.
 */
export interface TokenCounter {
  /** That of its tokenizer, or "custom". */
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

/** How tokens are counted. */
export interface TokenCounterOptions {
  /** Default: the estimate, which loads nothing. */
  readonly tokenizer?: Tokenizer;
  /** Tokens of an image, or of other media. Default: 512. */
  readonly imageTokens?: number;
  /** Counts one message in your own way, overhead included. Default: as the tokenizer counts its text and calls. */
  readonly countMessage?: (message: BaseMessage) => number;
}

const OPTIONS: Readonly<Record<keyof TokenCounterOptions, OptionKind>> = {
  tokenizer: "object",
  imageTokens: "number",
  countMessage: "function",
};

/**
 * Makes a counter, which remembers what it counted.
 *
 * @throws GraphError INVALID_CONFIGURATION for options that there are not
 *
 * @example
 * const counter = createTokenCounter({ tokenizer: await loadTiktoken() });
 * counter.messages([new HumanMessage("hi")]); // 8
 */
export function createTokenCounter(options: TokenCounterOptions = {}): TokenCounter {
  requireKnownOptions("createTokenCounter", options, OPTIONS);
  const { tokenizer = estimateTokenizer, imageTokens = IMAGE_TOKENS, countMessage } = options;
  if (typeof (tokenizer as Partial<Tokenizer>).count !== "function") {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      "tokenizer must have a method count(text), as loadTiktoken() gives.",
    );
  }
  if (!(imageTokens >= 0)) {
    throw new GraphError("INVALID_CONFIGURATION", `imageTokens must be at least 0, not ${imageTokens}.`);
  }
  return new CachedCounter(tokenizer, imageTokens, countMessage);
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

  constructor(tokenizer: Tokenizer, imageTokens: number, countMessage: TokenCounterOptions["countMessage"]) {
    this.#tokenizer = tokenizer;
    this.#imageTokens = imageTokens;
    this.name = countMessage === undefined ? tokenizer.name : "custom";
    this.#countMessage = countMessage ?? ((message) => this.#measure(message));
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
    const { tokens, turns } = this.#extend(this.#tracks.get(first) ?? emptyTrack(), messages, first);
    return new Sums(tokens, turns, messages.length);
  }

  tools(tools: readonly unknown[]): number {
    let sum = 0;
    for (const tool of tools) sum += this.#tool(tool);
    return sum;
  }

  #extend(track: Track, messages: readonly BaseMessage[], first: BaseMessage): Track {
    const known = track.list.shared(messages);
    const isOther = known < messages.length && known < track.list.length;
    const grown = isOther ? branchOf(track, known) : track;
    if (isOther || known === 0) this.#tracks.set(first, grown);
    const { list, tokens, turns } = grown;
    for (let i = known; i < messages.length; i++) {
      const message = messages[i] as BaseMessage;
      tokens.push((tokens[i] as number) + this.#entry(message).tokens);
      turns.push((turns[i] as number) + (isUser(message) ? 1 : 0));
      list.push(message);
    }
    list.saw(messages);
    return grown;
  }

  #entry(message: BaseMessage): Entry {
    const known = this.#entries.get(message);
    if (known !== undefined && isFresh(known, message)) return known;
    const tokens = this.#countMessage(message);
    if (!(tokens >= 0 && tokens < Number.POSITIVE_INFINITY)) throw noCount(this.name, tokens);
    const entry = entryOf(message, tokens);
    this.#entries.set(message, entry);
    return entry;
  }

  #measure(message: BaseMessage): number {
    let sum = MESSAGE_OVERHEAD + this.#ofContent(message.content);
    if (message.name !== undefined && isUser(message)) sum += this.#tokenizer.count(message.name);
    for (const call of toolCallsOf(message)) {
      sum += this.#tokenizer.count(call.name ?? "") + this.#tokenizer.count(argumentsText(call.args));
    }
    return sum;
  }

  #ofContent(content: unknown): number {
    if (typeof content === "string") return content === "" ? 0 : this.#tokenizer.count(content);
    let sum = 0;
    for (const part of contentParts(content)) {
      sum += "text" in part ? this.#tokenizer.count(part.text) : this.#imageTokens;
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

/** One such count would make every sum none, and no trigger fire again. */
function noCount(name: string, tokens: unknown): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `The token counter "${name}" counted ${String(tokens)} tokens for a message; it must return a number of at least 0, and not asynchronously.`,
  );
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
