import type { ChannelChange } from "@skein/checkpointer";
import type { BaseMessage } from "@langchain/core/messages";
import { EmptyChannelError, InvalidUpdateError } from "../errors/errors.ts";
import { BaseChannel, type Held } from "./base.ts";
import { Baseline, listChange } from "./list-change.ts";
import {
  idOf,
  type Merged,
  type Messages,
  mergeMessages,
  messagesStateReducer,
  placeOf,
  type Positions,
  toMessages,
} from "./messages-reducer.ts";
import { Overwrite } from "./overwrite.ts";
import { saying, saysAgain } from "./says-again.ts";

/** From this many look-ups in one step on, a table is cheaper than searching the list. */
const TABLE_FROM = 4;

/**
 * A list of messages with the reducer {@link messagesStateReducer}, which knows what it did to the
 * list, so that saying what changed costs what changed (I7).
 *
 * Made to be extended: override `special` to take writes of a brand of your own, `applied` to
 * follow what ordinary writes do, `laneOf` to send elements to another lane, and `fromCheckpoint`
 * to make your own kind (`restore` takes the stored list over).
 */
export class MessagesChannel extends BaseChannel<
  BaseMessage[],
  Messages | Overwrite<BaseMessage[]>,
  BaseMessage[]
> {
  // also what LangGraph calls a channel with a reducer
  readonly lc_graph_name: string = "BinaryOperatorAggregate";
  readonly operator: typeof messagesStateReducer = messagesStateReducer;
  readonly initialValueFactory: (() => Messages) | undefined;
  #list: readonly BaseMessage[] = [];
  #available = false;
  /** The list at the last change, if it is known to be stored as a list. */
  readonly #base = new Baseline(undefined);
  /** The list is the base's array, and nobody else has it. To copy a long one takes as long as a step. */
  #isOwn = false;
  /** The length that the base had before its own array was appended to. */
  #baseLength: number | undefined;
  /** The list begins with the whole of `#base`. */
  #appendOnly = true;
  /** Messages written since the last change that were not just appended. */
  #written: Set<unknown> | undefined;
  #table: Map<string, number> | undefined;
  #lookups = 0;
  /** Ids that were made up here and are in no list yet: looking for them would be in vain. */
  #fresh: Set<string> | undefined;
  /** A fork looks at the fresh ids of its original, which has yet to place them. */
  #isFork = false;

  /** @param initial - makes the first list; null for none, so that the key is absent until written */
  constructor(initial: (() => Messages) | null = () => []) {
    super();
    this.initialValueFactory = initial ?? undefined;
  }
  fromCheckpoint(stored?: BaseMessage[]): this {
    const channel = new MessagesChannel(this.initialValueFactory ?? null);
    channel.restore(stored);
    return channel as this;
  }
  /** Takes a stored list over, or the initial one. A `fromCheckpoint` of a subclass calls it. */
  protected restore(stored: BaseMessage[] | undefined): void {
    if (stored !== undefined) {
      this.#list = stored;
      this.#base.set(stored);
    } else if (this.initialValueFactory === undefined) return;
    else this.#list = toMessages(this.initialValueFactory());
    this.#available = true;
  }

  /** A write of a brand that the subclass knows: the list that it makes, or undefined if it is none. */
  protected special(_write: unknown, _list: readonly BaseMessage[]): BaseMessage[] | undefined {
    return undefined;
  }
  /** Called with what an ordinary write did. For Overwrite, `added` are all its messages. */
  protected applied(_merged: Merged): void {}
  /** The lane of a new element; undefined for the channel's own name. */
  protected laneOf(_message: BaseMessage): string | undefined {
    return undefined;
  }
  /** Whether a write is of the brand that `special` takes; such a write is not coerced. */
  protected isSpecial(_write: unknown): boolean {
    return false;
  }

  override prepare(write: unknown): unknown {
    if (this.isSpecial(write)) return write;
    if (Overwrite.isInstance<Messages>(write)) return new Overwrite(toMessages(write.value));
    const messages = this.#coerced(write as Messages);
    // what is recorded is shown as the task's result
    return Array.isArray(write) || !this.mergesPlainly ? messages : messages[0];
  }
  #coerced(write: Messages): BaseMessage[] {
    const ends = [this.#list[0], this.#list.at(-1)];
    // who returns the list, or its end, returns with it what was put into it without an id
    const isKnown = Array.isArray(write) && ends.some((message) => (write as unknown[]).includes(message));
    return toMessages(write, (id) => {
      if (isKnown) this.#table = undefined;
      else (this.#fresh ??= new Set()).add(id);
    });
  }
  /** Whether an id was made up here for a message that is in no list yet. */
  protected isFresh(id: unknown): boolean {
    return this.#fresh?.has(id as string) === true;
  }
  /** Ids that were made up are others each time. */
  override repeats(write: unknown, before: unknown): boolean {
    if (Overwrite.isInstance(write) && Overwrite.isInstance(before))
      return this.repeats(write.value, before.value);
    return saysAgain(write, before, {
      isMadeUp: (id) => this.isFresh(id),
      saying: (message) => this.saying(message),
    });
  }
  protected saying(message: BaseMessage): Readonly<Record<string, unknown>> {
    return saying(message);
  }
  /** Whether `update` makes of an ordinary write what `mergeMessages` makes of it. */
  protected get mergesPlainly(): boolean {
    return this.update === MessagesChannel.prototype.update;
  }
  /** One ordinary write is merged without a copy of the channel: branches look at nearly every one. */
  override preview(writes: readonly unknown[]): Held<BaseMessage[]> {
    const [write] = writes;
    if (writes.length !== 1 || !this.mergesPlainly || Overwrite.isInstance(write) || this.isSpecial(write))
      return super.preview(writes as Messages[]);
    const incoming = this.#coerced(write as Messages);
    const place = (id: string): number | undefined =>
      this.isFresh(id) ? undefined : placeOf(this.#list, id);
    return { value: mergeMessages(this.#list, incoming, place).list };
  }
  override fork(): this {
    const fork = super.fork();
    fork.#fresh = this.#fresh ??= new Set();
    fork.#isFork = true;
    return fork;
  }
  update(writes: readonly unknown[]): boolean {
    if (writes.length === 0) return false;
    this.#available = true;
    this.#lookups = 0;
    let overwritten = false;
    for (const write of writes) {
      if (Overwrite.isInstance<Messages>(write)) {
        if (overwritten) throw new InvalidUpdateError("Can receive only one Overwrite value per step.");
        overwritten = true;
        this.#overwrite(toMessages(write.value));
      } else if (!overwritten) this.#write(write);
    }
    // what was fresh is in the list now, also where a remove-all or a special write spared the look-up
    if (!this.#isFork) this.#fresh = undefined;
    return true;
  }
  #write(write: unknown): void {
    const special = this.isSpecial(write) ? this.special(write, this.#handOut()) : undefined;
    if (special !== undefined) {
      this.#replace(special, []);
      return;
    }
    const incoming = this.#coerced(write as Messages);
    const before = this.#list.length;
    const isOwn = this.#isOwn && this.mergesPlainly;
    const merged = mergeMessages(this.#list, incoming, this.#positions(), isOwn);
    if (!merged.appendOnly) {
      this.#replace(merged.list, merged.added);
    } else {
      if (merged.list === this.#list) this.#baseLength ??= before;
      else this.#isOwn = false;
      if (this.#table !== undefined) {
        for (let i = before; i < merged.list.length; i += 1) {
          this.#table.set(idOf(merged.list[i] as BaseMessage), i);
        }
      }
      this.#list = merged.list;
    }
    this.applied(merged);
  }
  #overwrite(list: BaseMessage[]): void {
    this.#replace(list, list);
    this.applied({ list, added: list, removed: [], appendOnly: false, cleared: true });
  }
  #replace(list: readonly BaseMessage[], written: readonly BaseMessage[]): void {
    if (this.#baseLength !== undefined) this.#base.set(this.#list.slice(0, this.#baseLength));
    this.#baseLength = undefined;
    this.#list = list;
    this.#isOwn = false;
    if (written.length > 0) this.#written ??= new Set();
    for (const message of written) this.#written?.add(message);
    this.#appendOnly = false;
    this.#table = undefined;
  }
  #positions(): Positions {
    return (id) => {
      const isFresh = this.#isFork ? this.#fresh?.has(id) : this.#fresh?.delete(id);
      if (isFresh) return undefined;
      if (this.#table === undefined && ++this.#lookups > TABLE_FROM) {
        this.#table = new Map(this.#list.map((message, i) => [idOf(message), i]));
      }
      if (this.#table !== undefined) return this.#table.get(id);
      return placeOf(this.#list, id);
    };
  }

  get(): BaseMessage[] {
    if (!this.#available) throw new EmptyChannelError();
    return this.#handOut();
  }
  #handOut(): BaseMessage[] {
    this.#isOwn = false;
    return this.#list as BaseMessage[];
  }
  override isAvailable(): boolean {
    return this.#available;
  }
  checkpoint(): BaseMessage[] | undefined {
    return this.#available ? this.#handOut() : undefined;
  }
  override change(): ChannelChange {
    const list = this.#list;
    const base = this.#base.get();
    const lane = (message: unknown): string | undefined => this.laneOf(message as BaseMessage);
    const from = this.#baseLength ?? base?.length ?? 0;
    let change: ChannelChange;
    if (!this.#appendOnly || from === 0) change = listChange(base, list, lane, this.#written);
    else {
      const { segments } = listChange([], list.slice(from), lane) as ChannelChange & { op: "list" };
      change = { op: "list", segments: [{ keep: [0, from] }, ...segments] };
    }
    this.#base.set(list);
    this.#baseLength = undefined;
    this.#appendOnly = true;
    this.#written = undefined;
    return change;
  }
  override rebase(): void {
    this.#base.forget();
  }
  override takeOver(): void {
    this.#isOwn = true;
  }
  override equals(other: BaseChannel): boolean {
    return other === this || (other as { operator?: unknown }).operator === this.operator;
  }
}
