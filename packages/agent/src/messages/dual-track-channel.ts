import { isBaseMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { isMarkedSummary, markGrown, timestampOf } from "@skein/context";
import { GraphError } from "@skein/errors";
import { type BaseChannel, MessagesChannel, Overwrite, type Merged, type WriteOrigin } from "@skein/graph";
import {
  asCompaction,
  compact,
  decodeCompaction,
  encodeCompaction,
  isCompaction,
  type Compaction,
  type StoredCompaction,
} from "./compaction.ts";
import { handedBack, idBroughtBy, PostedBack } from "./posted-back.ts";
import { bringsNothing, sameMessage } from "./same-message.ts";
import { stamp } from "./timestamp.ts";

type LogEntry = ReturnType<MessagesChannel["takeEcho"]>[number];

/** What becomes of an input before it is stored. */
export type OnInput = (input: unknown, context: readonly BaseMessage[]) => unknown;

/** Where elements live that only the context has. Those of both tracks share the lane of `messages`. */
const CONTEXT_LANE = "messages:context";

/**
 * The channel behind `messages`: the model's context. What ordinary writes do to it is echoed to
 * the history; what a {@link Compaction} does is not (B2, B3).
 *
 * It owns the context and what is to be echoed. Rules:
 * - appended or replaced by an ordinary write: in both tracks, as the same object (C3)
 * - removed (`RemoveMessage`, remove-all, left out by `Overwrite`): hidden, never erased; with all of it, or
 *   with a summary, goes what the context did not show any more
 * - written again as the very object that is there: nothing happened, nothing is echoed
 * - a summary stays in the context; an ordinary message written under its id is an ordinary message
 * - what a client posts back as the history has it is not new, whatever the context shows of it
 */
export class DualTrackChannel extends MessagesChannel {
  readonly #history: string;
  readonly #now: () => number;
  readonly #onInput: OnInput | undefined;
  #echo: LogEntry[] = [];
  /** The context before the step at hand. */
  #before: readonly BaseMessage[] = [];
  /** Nothing but appending happened in the step at hand. */
  #appendedOnly = true;
  #overwriting = false;
  /** Elements that only the context has. */
  #contextOnly: WeakSet<BaseMessage> | undefined;
  /** Present once something came from outside. */
  #posted: PostedBack | undefined;
  /** Stored elements of which is not known yet whether only the context has them. */
  #restored: readonly BaseMessage[] = [];

  /**
   * @param history - name of the archive channel that gets the echo
   * @param now - says when a message is made, in milliseconds since 1970
   * @param onInput - what becomes of an input before it is stored. Default: it stays as it is
   */
  constructor(history = "full_messages", now: () => number = Date.now, onInput?: OnInput) {
    super();
    this.#history = history;
    this.#now = now;
    this.#onInput = onInput;
  }
  override get echo(): string {
    return this.#history;
  }
  override fromCheckpoint(stored?: BaseMessage[]): this {
    const channel = new DualTrackChannel(this.#history, this.#now, this.#onInput);
    channel.restore(stored);
    channel.#restored = stored ?? [];
    return channel as this;
  }

  /** Ids are given here, and LangChain's way to summarise is understood, where a task wrote it. */
  override prepare(write: unknown, origin?: WriteOrigin, caller?: BaseChannel): unknown {
    if (isCompaction(write)) {
      const { summary } = write;
      if (summary !== undefined) {
        super.prepare(summary);
        stamp(summary, this.#now);
      }
      return write;
    }
    if (Array.isArray(write) && write.some(isCompaction)) {
      throw new GraphError(
        "INVALID_MESSAGE",
        "A compaction must be the whole write to `messages`, not one of several in an array. Return it alone, and append messages in another node.",
      );
    }
    const named = this.#idsOf(write);
    const made = super.prepare(write);
    const given = isBaseMessage(made) ? [made] : made;
    const isTask = origin === "task";
    const around = caller instanceof DualTrackChannel ? caller : undefined;
    if (around !== undefined) this.#keepSummariesOf(around, listOf(given));
    if (!isTask && Overwrite.isInstance<BaseMessage[]>(given)) return new Overwrite(this.#news(given.value));
    if (!Array.isArray(given)) return given;
    const prepared = isTask ? given : this.#news(given);
    const reused = named && this.#reuse(prepared, named, isTask ? sameMessage : bringsNothing);
    for (const message of prepared) {
      const isUntimed = around !== undefined && around.#isUntimed(message);
      if (!isUntimed && reused?.has(message) !== true) stamp(message, this.#now);
    }
    return isTask ? (asCompaction(prepared) ?? prepared) : prepared;
  }
  override consult(write: unknown, log: BaseChannel): void | Promise<void> {
    return (this.#posted ??= new PostedBack()).consult(write, this.get(), log);
  }
  override handedBack(messages: unknown[], log: BaseChannel): unknown[] | Promise<unknown[]> {
    return handedBack(messages as BaseMessage[], this.get(), log);
  }
  /** Another engine appends to the context, and the history is to have it. */
  override catchUp(log: BaseChannel): void | Promise<void> {
    const shown = this.get().filter((message) => message.id !== undefined && !isMarkedSummary(message));
    if (shown.length === 0) return undefined;
    const found = log.revisions(shown.map(({ id }) => id as string));
    const take = (known: ReadonlyMap<string, unknown>): void => {
      for (const message of shown) if (!known.has(message.id as string)) this.#echo.push({ add: message });
    };
    return found instanceof Promise ? found.then(take) : take(found);
  }
  override posted(write: unknown): unknown {
    const storable = this.#posted === undefined ? write : this.#posted.storable(write);
    return this.#onInput === undefined ? storable : this.#onInput(storable, this.get());
  }
  /** Ids that a write brings along, if it does; messages without one, or with one made up here, can only be new. */
  #idsOf(write: unknown): ReadonlySet<unknown> | undefined {
    let ids: Set<unknown> | undefined;
    for (const like of Array.isArray(write) ? write : [write]) {
      const id = idBroughtBy(like);
      if (id !== undefined && id !== null && !this.isFresh(id)) (ids ??= new Set()).add(id);
    }
    return ids;
  }
  #news(given: BaseMessage[]): BaseMessage[] {
    return this.#posted === undefined ? given : this.#posted.news(given, this.get());
  }
  /** What is written again as it stands is the object that stands there: nothing happened. */
  #reuse(
    messages: BaseMessage[],
    ids: ReadonlySet<unknown>,
    isSame: (written: BaseMessage, there: BaseMessage) => boolean,
  ): ReadonlySet<BaseMessage> {
    const reused = new Set<BaseMessage>();
    const present = new Map<unknown, BaseMessage>();
    for (const message of this.get()) if (ids.has(message.id)) present.set(message.id, message);
    for (const [at, message] of messages.entries()) {
      const there = present.get(message.id);
      if (there === undefined) continue;
      // who posts a message back does not know when it was made
      const time = timestampOf(there);
      if (time !== undefined) stamp(message, () => time);
      if (!isSame(message, there)) continue;
      messages[at] = there;
      reused.add(there);
    }
    return reused;
  }
  /** Nor is the time when a message came part of what it says. */
  protected override saying(message: BaseMessage): Readonly<Record<string, unknown>> {
    const additional_kwargs = { ...message.additional_kwargs, timestamp: undefined };
    return { ...super.saying(message), additional_kwargs };
  }
  override encodeWrite(write: unknown): unknown {
    return isCompaction(write) ? encodeCompaction(write) : write;
  }
  override decodeWrite(stored: unknown): unknown {
    return decodeCompaction(stored as StoredCompaction);
  }
  protected override get mergesPlainly(): boolean {
    return true;
  }
  override update(writes: readonly unknown[]): boolean {
    this.#before = this.get();
    this.#appendedOnly = true;
    const overwrite = writes.find((write) => Overwrite.isInstance(write));
    if (overwrite === undefined) {
      const changed = super.update(writes);
      if (this.#appendedOnly) markGrown(this.get(), this.#before);
      return changed;
    }
    // an Overwrite wins over its siblings in the context; what they appended is history all the same
    for (const write of writes) if (write !== overwrite && !isCompaction(write)) this.#append(listOf(write));
    this.#overwriting = true;
    try {
      return super.update(writes.filter((write) => Overwrite.isInstance(write)));
    } finally {
      this.#overwriting = false;
    }
  }
  protected override isSpecial(write: unknown): boolean {
    return isCompaction(write);
  }
  protected override special(write: unknown, list: readonly BaseMessage[]): BaseMessage[] {
    const compaction = write as Compaction;
    this.#appendedOnly = false;
    this.#revise(compaction);
    for (const message of compaction.replace) this.#keepFromHistory(message);
    if (compaction.summary !== undefined) this.#keepFromHistory(compaction.summary);
    this.#keepSummaries(compaction.base ?? []);
    if (compaction.context === undefined) return compact(list, compaction);
    this.#keepSummaries(compaction.context);
    const known = new Set(list);
    this.#append(compaction.context.filter((message) => !known.has(message)));
    return [...compaction.context];
  }
  /** A revision reaches the history whether the context shows the message or not. */
  #revise({ revise = [], remove }: Compaction): void {
    if (revise.length === 0) return;
    for (const message of revise) this.#echo.push({ add: message });
    if (remove.length > 0) this.#echo.push({ hide: remove });
  }
  protected override applied(merged: Merged): void {
    if (merged.appendOnly) {
      for (const message of merged.added)
        if (!this.#isContextOnly(message)) this.#echo.push({ add: message });
      return;
    }
    this.#appendedOnly = false;
    this.#learnRestored();
    const before = new Map(this.#before.map((message) => [message.id, message]));
    const kept = new Set(merged.list.map((message) => message.id as string));
    const gone = this.#before.filter((message) => !kept.has(message.id as string));
    const hide = gone.flatMap((message) => (this.#isSummary(message) ? [] : (message.id as string)));
    const removed = new Set(merged.removed);
    const clears =
      merged.cleared ?? gone.some((one) => this.#isSummary(one) && removed.has(one.id as string));
    if (clears) this.#echo.push({ hide, keep: [...kept] });
    this.#append(merged.added.filter((message) => this.#reachesHistory(message, before.get(message.id))));
    if (!clears && hide.length > 0) this.#echo.push({ hide });
  }
  /** Whether a message that was written is news for the history. */
  #reachesHistory(message: BaseMessage, before: BaseMessage | undefined): boolean {
    if (before === undefined) return true;
    if (before === message) return false;
    // what was recorded and read again is a copy
    if (!this.#overwriting && !sameMessage(before, message)) return true;
    if (this.#overwriting || this.#isContextOnly(before)) this.#keepFromHistory(message);
    return false;
  }
  #keepFromHistory(message: BaseMessage): void {
    (this.#contextOnly ??= new WeakSet()).add(message);
  }
  #keepSummaries(messages: readonly BaseMessage[]): void {
    for (const message of messages) if (isMarkedSummary(message)) this.#keepFromHistory(message);
  }
  /** What stands for others in the calling graph's context does so here, and is no more history than there. */
  #keepSummariesOf(caller: DualTrackChannel, given: readonly BaseMessage[]): void {
    const marked = given.filter(isMarkedSummary);
    if (marked.length === 0) return;
    caller.#learnRestored();
    const theirs = caller.get().filter((message) => caller.#isSummary(message));
    for (const message of marked)
      if (theirs.some((one) => sameMessage(one, message))) this.#keepFromHistory(message);
  }
  /** Whether it has a message without a time, as a tombstone is: the object may be the very one that is stored. */
  #isUntimed(message: BaseMessage): boolean {
    return timestampOf(message) === undefined && this.get().some(({ id }) => id === message.id);
  }
  #isContextOnly(message: BaseMessage): boolean {
    return this.#contextOnly?.has(message) === true;
  }
  #isSummary(message: BaseMessage): boolean {
    return isMarkedSummary(message) && this.#isContextOnly(message);
  }
  #append(messages: readonly BaseMessage[]): void {
    for (const message of messages) {
      if (!this.#isContextOnly(message) && !RemoveMessage.isInstance(message))
        this.#echo.push({ add: message });
    }
  }
  /** After a restart the mark on a summary is what tells that it is one. */
  #learnRestored(): void {
    this.#keepSummaries(this.#restored);
    this.#restored = [];
  }
  protected override laneOf(message: BaseMessage): string | undefined {
    return this.#isContextOnly(message) ? CONTEXT_LANE : undefined;
  }
  override takeEcho(): readonly LogEntry[] {
    const echo = this.#echo;
    this.#echo = [];
    return echo;
  }
}

function listOf(write: unknown): readonly BaseMessage[] {
  return Array.isArray(write) ? (write as BaseMessage[]) : [write as BaseMessage];
}
