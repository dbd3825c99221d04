import type { Awaitable, ChannelChange, LogEntry, StoredChannel } from "@skein/checkpointer";
import { BaseChannel } from "./base.ts";

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
  /** Entries that `#resolved` does not hold, because the image was not loaded yet. */
  #waiting: LogEntry[] = [];
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
    const loaded = this.#image?.load() ?? [];
    return loaded instanceof Promise ? loaded.then((list) => this.#take(list)) : this.#take(loaded);
  }
  #take(loaded: unknown): void {
    // two readers at once: the first took what was waiting
    if (this.#resolved !== undefined) return;
    this.#resolved = new Resolved(loaded as Element[]);
    this.#resolved.append(this.#waiting);
    this.#waiting = [];
  }

  /** Appends what an echo brought. Returns whether anything changed. */
  override append(entries: readonly LogEntry[]): boolean {
    if (entries.length === 0) return false;
    this.#uncommitted.push(...entries);
    if (this.#resolved === undefined) this.#waiting.push(...entries);
    else this.#resolved.append(entries);
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
  checkpoint(): Element[] {
    return this.get();
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

/** Elements by id: the first occurrence gives the position, the last one the content. */
class Resolved<Element> {
  #elements: Element[];
  #places: Map<unknown, number> | undefined;
  #handedOut = false;

  constructor(elements: Element[]) {
    this.#elements = elements;
  }
  list(): Element[] {
    this.#handedOut = true;
    return this.#elements;
  }
  append(entries: readonly LogEntry[]): void {
    if (this.#handedOut) {
      this.#elements = [...this.#elements];
      this.#handedOut = false;
    }
    const places = (this.#places ??= new Map(this.#elements.map((element, i) => [keyOf(element), i])));
    for (const entry of entries) {
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
}

/** An element without an id is its own key. */
function keyOf(element: unknown): unknown {
  if (typeof element !== "object" || element === null) return element;
  return (element as { id?: unknown }).id ?? element;
}
