import type { Awaitable, ChannelChange, LogEntry, StoredChannel } from "@skein/checkpointer";
import { BaseChannel } from "./base.ts";
import { andThen } from "./and-then.ts";

export interface ArchiveOptions {
  /** Lane of the entries: that of the channel whose echo this is, so that both share their items. */
  readonly lane: string;
  /** What to say to someone who writes the channel directly. */
  readonly writeInstead?: string;
}

/**
 * A log of what was ever in a list: appended by the echo of another channel, never written
 * directly, resolved by id when it is read. What is stored stays where it is until somebody asks:
 * an ordinary step appends without loading (I7).
 *
 * Under a saver without change sets it falls back to an ordinary list: correct, not fast.
 */
export class ArchiveChannel<Element = unknown> extends BaseChannel<Element[], never, Element[]> {
  readonly lc_graph_name: string = "Archive";
  readonly options: ArchiveOptions;
  #image: StoredChannel | undefined;
  #resolved: Resolved<Element> | undefined = new Resolved<Element>([]);
  /** Entries that came after the image. */
  readonly #since: LogEntry[] = [];
  #uncommitted: LogEntry[] = [];

  constructor(options: ArchiveOptions) {
    super();
    this.options = options;
  }
  override get hidden(): boolean {
    return true;
  }
  override get direct(): boolean {
    return false;
  }
  /** What to write instead of this channel. */
  override get writeInstead(): string | undefined {
    return this.options.writeInstead;
  }
  /** Whether a stored log is attached, with `attach`, instead of being loaded. */
  override get lazy(): boolean {
    return true;
  }

  fromCheckpoint(stored?: Element[]): this {
    const channel = new ArchiveChannel<Element>(this.options);
    if (stored !== undefined) channel.#resolved = new Resolved([...stored]);
    return channel as this;
  }
  override attach(image: StoredChannel): void {
    this.#image = image;
    this.#resolved = undefined;
  }
  override materialise(): Awaitable<void> {
    if (this.#resolved !== undefined) return undefined;
    return andThen(this.#image?.load() ?? [], (list) => this.#take(list));
  }
  #take(loaded: unknown): void {
    // two readers at once: the first took what came since
    if (this.#resolved !== undefined) return;
    // what is loaded of a log is resolved, and tells nothing of what it hides
    this.#resolved = new Resolved(loaded as Element[], this.#image?.kind !== "log");
    if (this.#since.length > 0) this.#resolved.append(this.#since);
  }

  override get entries(): number {
    const stored = this.#image;
    if (stored?.kind === "log") return stored.entries + this.#since.length;
    if (stored?.kind === "list") return stored.length + this.#since.length;
    return this.#resolved?.list().length ?? 0;
  }
  override revisions(ids: readonly string[]): Awaitable<Revisions> {
    const image = this.#image;
    if (ids.length === 0) return NOTHING;
    if (image?.kind !== "log")
      return andThen(this.materialise(), () => this.#resolved?.under(ids) ?? NOTHING);
    return andThen(image.revisions(ids), (stored) => {
      const all = new Map<string, readonly unknown[]>(stored);
      const wanted = new Set<unknown>(ids);
      for (const entry of this.#since) {
        const id = "add" in entry ? keyOf(entry.add) : undefined;
        if (typeof id !== "string" || !wanted.has(id)) continue;
        all.set(id, [...(all.get(id) ?? []), (entry as { add: unknown }).add]);
      }
      return all;
    });
  }
  override hiddenIds(): Awaitable<ReadonlySet<string>> {
    const image = this.#image;
    if (image?.kind !== "log")
      return andThen(this.materialise(), () => this.#resolved?.hidden ?? new Set<string>());
    const cleared = this.#since.findLastIndex((entry) => "hide" in entry && entry.keep !== undefined);
    if (cleared >= 0) return andThen(this.materialise(), () => this.#hiddenSince(cleared));
    return andThen(image.hidden(), (ids) => {
      const hidden = new Set(ids);
      for (const entry of this.#since) note(hidden, entry, []);
      return hidden;
    });
  }

  /** What is hidden since a clear that is not stored yet: what came later takes itself out. */
  #hiddenSince(cleared: number): ReadonlySet<string> {
    const hidden = new Set<string>();
    const all = (this.#resolved?.list() ?? []).map(keyOf);
    for (const entry of this.#since.slice(cleared)) note(hidden, entry, all);
    return hidden;
  }

  /** Appends what an echo brought. Returns whether anything changed. */
  override append(entries: readonly LogEntry[]): boolean {
    if (entries.length === 0) return false;
    this.#uncommitted.push(...entries);
    if (this.#image !== undefined) this.#since.push(...entries);
    this.#resolved?.append(entries);
    return true;
  }
  update(): boolean {
    return false;
  }
  get(): Element[] {
    if (this.#resolved === undefined) {
      throw new Error("An archive was read before it was materialised.");
    }
    return this.#resolved.list();
  }
  override isAvailable(): boolean {
    return true;
  }
  /** For savers of whole states: behind the elements, what is hidden of them, as an entry of the log. */
  checkpoint(): Element[] {
    const hide = [...(this.#resolved?.hidden ?? [])];
    return hide.length === 0 ? this.get() : [...this.get(), { hide } as Element];
  }
  override change(): ChannelChange {
    const entries = this.#uncommitted;
    this.#uncommitted = [];
    return { op: "log", lane: this.options.lane, entries };
  }
  override equals(other: BaseChannel): boolean {
    return other === this || (other instanceof ArchiveChannel && other.options.lane === this.options.lane);
  }
}

type Revisions = ReadonlyMap<string, readonly unknown[]>;
const NOTHING: Revisions = new Map();

/** Elements by id: the first occurrence gives the position, the last one the content. */
class Resolved<Element> {
  /** Ids whose last entry hides them. */
  readonly hidden = new Set<string>();
  #elements: Element[];
  #places: Map<unknown, number> | undefined;
  #handedOut = false;

  /** @param mayHide - whether entries that hide ids may stand behind the elements */
  constructor(stored: Element[], mayHide = true) {
    this.#elements = mayHide ? stored.filter((element) => !isHide(element)) : stored;
    if (!mayHide) return;
    for (const element of stored) if (isHide(element)) note(this.hidden, element, []);
  }
  list(): Element[] {
    this.#handedOut = true;
    return this.#elements;
  }
  under(ids: readonly string[]): Revisions {
    const places = this.#placed();
    return new Map(
      ids.flatMap((id) => {
        const place = places.get(id);
        return place === undefined ? [] : [[id, [this.#elements[place]]] as const];
      }),
    );
  }
  append(entries: readonly LogEntry[]): void {
    if (this.#handedOut) {
      this.#elements = [...this.#elements];
      this.#handedOut = false;
    }
    const places = this.#placed();
    for (const entry of entries) {
      note(this.hidden, entry, places.keys());
      // a hide concerns the context; the history keeps what it hides
      if (!("add" in entry)) continue;
      const element = entry.add as Element;
      const place = places.get(keyOf(element));
      if (place === undefined) {
        places.set(keyOf(element), this.#elements.length);
        this.#elements.push(element);
      } else this.#elements[place] = element;
    }
  }
  #placed(): Map<unknown, number> {
    return (this.#places ??= new Map(this.#elements.map((element, i) => [keyOf(element), i])));
  }
}

/** Keeps a set of hidden ids in step with a log. @param before - keys of what a clear may hide */
function note(hidden: Set<string>, entry: LogEntry, before: Iterable<unknown>): void {
  if ("add" in entry) {
    if (hidden.size > 0) hidden.delete(keyOf(entry.add) as string);
    return;
  }
  if (entry.keep !== undefined) {
    for (const id of before) if (typeof id === "string") hidden.add(id);
    for (const id of entry.keep) hidden.delete(id);
  }
  for (const id of entry.hide) hidden.add(id);
}

/** What stands behind the elements where a saver takes whole states. */
function isHide(element: unknown): element is { readonly hide: readonly string[] } {
  if (typeof element !== "object" || element === null || "id" in element) return false;
  const { hide } = element as { hide?: unknown };
  return Array.isArray(hide) && hide.every((id) => typeof id === "string");
}

/** An element without an id is its own key. */
function keyOf(element: unknown): unknown {
  if (typeof element !== "object" || element === null) return element;
  return (element as { id?: unknown }).id ?? element;
}
