import { coerceMessageLikeToMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { isMarkedSummary } from "@skein/context";
import { Overwrite, type BaseChannel } from "@skein/graph";
import { isCompaction } from "./compaction.ts";
import { bringsNothing } from "./same-message.ts";

type Awaitable<T> = T | Promise<T>;
type Revisions = ReadonlyMap<string, readonly unknown[]>;

/**
 * Tells what is new of messages that come from outside. Chat clients post their whole conversation
 * with every turn, as their page shows it. What of it was compacted away, or is shown shortened, is
 * in the history as it was written: appended, or put in the place of what the context shows of it,
 * it would undo the compaction. So would a page from before an edit undo the edit.
 *
 * Belongs to one channel; asks the history only for ids that the context does not account for.
 */
export class PostedBack {
  /** What the history ever held under an id; of what a write is about only what it holds now. */
  readonly #known = new Map<string, readonly BaseMessage[]>();

  /** Looks up what a write names. To be called before `news` with the same write. */
  consult(write: unknown, context: readonly BaseMessage[], log: BaseChannel): Awaitable<void> {
    const asked = unaccounted(write, context, log.entries);
    if (asked.length === 0) return undefined;
    const found = log.revisions(asked);
    const last = idOf(listOf(write).at(-1));
    const learn = (revisions: Revisions): Awaitable<void> => this.#learn(revisions, last, context, log);
    return found instanceof Promise ? found.then(learn) : learn(found);
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
  /** The messages without those that the history has as they are; the context's own objects stay. */
  news(messages: BaseMessage[], context: readonly BaseMessage[]): BaseMessage[] {
    if (this.#known.size === 0) return messages;
    const held = new Map(context.map((message) => [message.id, message]));
    return messages.flatMap((message) => {
      const known = this.#known.get(message.id as string);
      const isOld = known?.some((revision) => bringsNothing(message, revision)) ?? false;
      return isOld ? (held.get(message.id) ?? []) : message;
    });
  }
}

/**
 * Ids of a write that the context does not hold as they are written.
 *
 * @param logged - entries of the history: when the context shows as many, it shows all
 */
function unaccounted(write: unknown, context: readonly BaseMessage[], logged: number): string[] {
  if (isCompaction(write) || Overwrite.isInstance(write)) return [];
  const likes = listOf(write);
  // a write that removes says itself what the context is to be
  if (likes.some((like) => RemoveMessage.isInstance(like))) return [];
  if (!likes.some((like) => idOf(like) !== undefined)) return [];
  const held = new Map(context.map((message) => [message.id, message]));
  const shown = context.reduce((count, message) => count + (isMarkedSummary(message) ? 0 : 1), 0);
  return likes.flatMap((like) => {
    const id = idOf(like);
    if (id === undefined) return [];
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
  const id = (like as { id?: unknown } | null | undefined)?.id;
  return typeof id === "string" ? id : undefined;
}

const listOf = (write: unknown): readonly unknown[] => (Array.isArray(write) ? write : [write]);
