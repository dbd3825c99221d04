import { coerceMessageLikeToMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { isMarkedSummary } from "@skein/context";
import { Overwrite, type BaseChannel } from "@skein/graph";
import { isCompaction } from "./compaction.ts";
import { bringsBack, isErased } from "./erased.ts";
import { bringsNothing } from "./same-message.ts";

type Awaitable<T> = T | Promise<T>;
type Revisions = ReadonlyMap<string, readonly unknown[]>;

/**
 * Tells what is new of messages that come from outside. Chat clients post their whole conversation
 * with every turn, as their page shows it. What of it was compacted away, or is shown shortened, is
 * in the history as it was written: appended, or put in the place of what the context shows of it,
 * it would undo the compaction. So would a page from before an edit undo the edit, and one from
 * before an erasure bring back what was erased.
 *
 * Belongs to one channel; asks the history only for ids that the context does not account for.
 */
export class PostedBack {
  /** What the history ever held under an id; of what a write is about only what it holds now. */
  readonly #known = new Map<string, readonly BaseMessage[]>();
  /** What of that was erased: no write from outside undoes it, whatever it is about. */
  readonly #erased = new Map<string, readonly BaseMessage[]>();

  /** An input is looked up when it is stored and when it is applied. */
  #consulted: unknown;

  /** Looks up what a write names. To be called before `news` with the same write. */
  consult(write: unknown, context: readonly BaseMessage[], log: BaseChannel): Awaitable<void> {
    if (typeof write === "object" && write === this.#consulted) return undefined;
    this.#consulted = write;
    const asked = unaccounted(write, context, log.entries);
    if (asked.length === 0) return undefined;
    const found = log.revisions(asked);
    const learn = (revisions: Revisions): Awaitable<void> => {
      this.#learnErased(revisions);
      // a write that removes says itself what the context is to be
      if (removes(write)) return undefined;
      return this.#learn(revisions, idOf(listOf(write).at(-1)), context, log);
    };
    return found instanceof Promise ? found.then(learn) : learn(found);
  }
  #learnErased(found: Revisions): void {
    for (const [id, revisions] of found) {
      const erased = (revisions as readonly BaseMessage[]).filter(isErased);
      if (erased.length > 0) this.#erased.set(id, erased);
    }
  }
  #learn(
    found: Revisions,
    last: string | undefined,
    context: readonly BaseMessage[],
    log: BaseChannel,
  ): Awaitable<void> {
    for (const [id, revisions] of found) this.#known.set(id, revisions as readonly BaseMessage[]);
    const about = last === undefined ? undefined : this.#known.get(last);
    if (last === undefined || about === undefined) return undefined;
    // an edit may be taken back
    this.#known.set(last, about.slice(-1));
    if (context.some(({ id }) => id === last)) return undefined;
    // who removed a message may bring it back, as what the write is about
    const hidden = log.hiddenIds();
    const show = (ids: ReadonlySet<string>): void => void (ids.has(last) && this.#known.delete(last));
    return hidden instanceof Promise ? hidden.then(show) : show(hidden);
  }
  /** The write with tombstones where it would bring back what was erased: inputs are stored as they came. */
  storable(write: unknown): unknown {
    if (this.#erased.size === 0) return write;
    if (Overwrite.isInstance(write)) return new Overwrite(this.storable(write.value));
    const tombstone = (like: unknown): unknown => {
      const erased = this.#erased.get(idOf(like) as string);
      if (erased === undefined || RemoveMessage.isInstance(like)) return like;
      return erased.find((revision) => bringsBack(coerced(like), revision)) ?? like;
    };
    return Array.isArray(write) ? write.map(tombstone) : tombstone(write);
  }
  /** The messages without those that the history has as they are; the context's own objects stay. */
  news(messages: BaseMessage[], context: readonly BaseMessage[]): BaseMessage[] {
    if (this.#known.size === 0 && this.#erased.size === 0) return messages;
    const held = new Map(context.map((message) => [message.id, message]));
    return messages.flatMap((message) => {
      const id = message.id as string;
      const isOld =
        this.#known.get(id)?.some((revision) => bringsNothing(message, revision)) === true ||
        this.#erased.get(id)?.some((revision) => bringsBack(message, revision)) === true;
      return isOld && !RemoveMessage.isInstance(message) ? (held.get(message.id) ?? []) : message;
    });
  }
}

/**
 * What a graph that was called hands back, without what the history ever held: it may have kept that since an
 * earlier call, and the context was compacted meanwhile.
 */
export function handedBack(
  messages: BaseMessage[],
  context: readonly BaseMessage[],
  log: BaseChannel,
): Awaitable<BaseMessage[]> {
  const asked = unaccounted(messages, context, log.entries);
  if (asked.length === 0) return messages;
  const take = (found: Revisions): BaseMessage[] =>
    messages.filter((message) => {
      const held = (found.get(message.id as string) ?? []) as readonly BaseMessage[];
      return !held.some((one) => bringsNothing(message, one) || (isErased(one) && bringsBack(message, one)));
    });
  const found = log.revisions(asked);
  return found instanceof Promise ? found.then(take) : take(found);
}

/**
 * Ids of a write that the context does not hold as they are written.
 *
 * @param logged - entries of the history: when the context shows as many, it shows all
 */
function unaccounted(write: unknown, context: readonly BaseMessage[], logged: number): string[] {
  if (isCompaction(write)) return [];
  const likes = listOf(write);
  if (!likes.some((like) => idOf(like) !== undefined)) return [];
  const held = new Map(context.map((message) => [message.id, message]));
  const shown = context.reduce((count, message) => count + (isMarkedSummary(message) ? 0 : 1), 0);
  return likes.flatMap((like) => {
    const id = idOf(like);
    if (id === undefined || RemoveMessage.isInstance(like)) return [];
    const there = held.get(id);
    if (there === undefined) return logged > shown ? id : [];
    return there === like || bringsNothing(coerced(like), there) ? [] : id;
  });
}

/** What is no message is refused when the write is prepared. */
function coerced(like: unknown): BaseMessage {
  try {
    return coerceMessageLikeToMessage(like as BaseMessage);
  } catch {
    return new RemoveMessage({ id: "" });
  }
}

function idOf(like: unknown): string | undefined {
  const id = idBroughtBy(like);
  return typeof id === "string" ? id : undefined;
}

/** The id that whatever stands for a message brings. In LangChain's JSON, `id` is the path of the class. */
export function idBroughtBy(like: unknown): unknown {
  const { id, kwargs } = (like ?? {}) as { id?: unknown; kwargs?: { id?: unknown } | null };
  return Array.isArray(id) ? kwargs?.id : id;
}

/** Whether a write replaces the context, or takes something out of it. */
const removes = (write: unknown): boolean =>
  Overwrite.isInstance(write) || listOf(write).some((like) => RemoveMessage.isInstance(like));

function listOf(write: unknown): readonly unknown[] {
  if (Overwrite.isInstance(write)) return listOf(write.value);
  return Array.isArray(write) ? write : [write];
}
