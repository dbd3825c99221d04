import type { BaseStore, Operation } from "@langchain/langgraph-checkpoint";
import { SessionNames, type FactKind } from "./names.ts";
import type { EndReason, Session, SessionMetadata } from "./types.ts";

/** That a session began. */
export interface RecordFact {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly metadata: SessionMetadata;
  readonly knowledge: string | null;
}

/** That a session is over. */
export interface EndFact {
  readonly endedAt: number;
  readonly reason: EndReason;
}

/** That somebody took its history; `key` is null where nobody takes histories. */
export interface HandoffFact {
  readonly at: number;
  readonly key: string | null;
  /** The head of the thread whose history it was. */
  readonly checkpointId: string | null;
}

interface OpenFact {
  readonly at: number;
  readonly createdAt: number;
}

/** A session, and what only the manager needs to know of it. */
export interface KnownSession {
  readonly session: Session;
  readonly handoff: HandoffFact | undefined;
}

/** Metadata stand beside the record's own fields, where filters of every store find them. */
const METADATA = "m:";
/** Items that are read at a time. */
const PAGE = 100;

type Value = Record<string, unknown>;

/**
 * What is known of the sessions of one tenant. A fact is written, and never changed into another
 * one: nobody reads, decides and writes back, because a store has no way to say "if nobody else
 * did". So writers in several processes can not undo each other, and what follows from the facts is
 * the same for all of them (docs/decisions/2026-11-22-sessions.md).
 */
export class SessionFactStore {
  readonly names: SessionNames;
  readonly #store: BaseStore;
  readonly #tenant: string | undefined;

  constructor(store: BaseStore, tenant: string | undefined) {
    this.#store = store;
    this.#tenant = tenant;
    this.names = new SessionNames(tenant);
  }

  async begin(record: RecordFact): Promise<void> {
    const { metadata, ...own } = record;
    const fields = Object.entries(metadata).map(([name, value]) => [`${METADATA}${name}`, value]);
    const value = { ...own, ...Object.fromEntries(fields) };
    const key = this.names.key(record.id);
    await this.#write([
      // a sweep that finds this and no record leaves it alone until its time is over
      this.#put("open", record.id, { at: record.createdAt, createdAt: record.createdAt }),
      this.#put("records", record.id, value),
      this.#putAt(this.names.ofUser(record.userId), key, value),
    ]);
  }

  async touch(id: string, at: number, createdAt: number): Promise<void> {
    await this.#write([this.#put("open", id, { at, createdAt } satisfies OpenFact)]);
  }

  /** That it is to be handed over comes first: a store that does one after the other must not lose it. */
  async end(id: string, end: EndFact): Promise<void> {
    await this.#write([
      this.#put("ending", id, { ...end }),
      this.#put("ends", id, { ...end }),
      this.#remove("open", id),
    ]);
  }

  async handOff(id: string, handoff: HandoffFact): Promise<void> {
    await this.#write([this.#put("handoffs", id, { ...handoff }), this.#remove("ending", id)]);
  }

  /** Takes away what makes sweeps look at a session, once it says nothing any more. */
  async forget(id: string, ...kinds: ("open" | "ending")[]): Promise<void> {
    await this.#write(kinds.map((kind) => this.#remove(kind, id)));
  }

  /**
   * Takes away all that is known of a session; what began and ended it last, so that a store that
   * does one write after the other leaves a session that can be deleted again.
   */
  async delete(id: string, userId: string | undefined): Promise<void> {
    const key = this.names.key(id);
    const copy: Operation[] =
      userId === undefined ? [] : [{ namespace: this.names.ofUser(userId), key, value: null }];
    await this.#write([
      ...(["open", "ending", "handoffs"] as const).map((kind) => this.#remove(kind, id)),
      ...copy,
      this.#remove("records", id),
      this.#remove("ends", id),
    ]);
  }

  /** What an ender left behind that came no further. */
  async ending(id: string): Promise<EndFact | undefined> {
    const item = await this.#store.get(this.names.of("ending"), this.names.key(id));
    return item?.value as EndFact | undefined;
  }

  /** What is known of sessions, in the same order; undefined for those that are not this tenant's. */
  async read(ids: readonly string[]): Promise<(KnownSession | undefined)[]> {
    const kinds: readonly FactKind[] = ["records", "open", "ends", "handoffs"];
    const gets = ids.flatMap((id) =>
      kinds.map((kind): Operation => ({ namespace: this.names.of(kind), key: this.names.key(id) })),
    );
    const items = (await this.#store.batch(gets)) as ({ value: Value } | null)[];
    return ids.map((_id, at) => {
      const [record, open, end, handoff] = items.slice(at * kinds.length).map((item) => item?.value);
      if (record === undefined) return undefined;
      return this.#known(record, open as unknown, end as unknown, handoff as unknown);
    });
  }

  #known(record: Value, open: unknown, end: unknown, handoff: unknown): KnownSession {
    const { id, userId, createdAt, knowledge } = record as Value & RecordFact;
    const metadata = Object.entries(record)
      .filter(([name]) => name.startsWith(METADATA))
      .map(([name, value]) => [name.slice(METADATA.length), value]);
    const facts = {
      id,
      userId,
      tenant: this.#tenant,
      thread: { configurable: { thread_id: this.names.threadOf(id) } },
      metadata: Object.fromEntries(metadata) as SessionMetadata,
      knowledge: knowledge ?? undefined,
      createdAt,
    };
    const taken = handoff as HandoffFact | undefined;
    if (end === undefined) {
      const { at = createdAt } = (open ?? {}) as Partial<OpenFact>;
      return { session: { ...facts, state: "open", activeAt: at }, handoff: taken };
    }
    const { endedAt, reason } = end as EndFact;
    const session: Session =
      taken === undefined
        ? { ...facts, state: "ending", endedAt, reason }
        : { ...facts, state: "ended", endedAt, reason, key: taken.key ?? undefined };
    return { session, handoff: taken };
  }

  /** Ids of a page of records, and whether there are more. */
  async page(
    userId: string | undefined,
    metadata: SessionMetadata,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly ids: readonly string[]; readonly more: boolean }> {
    const space = userId === undefined ? this.names.of("records") : this.names.ofUser(userId);
    const filter = Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [`${METADATA}${name}`, value]),
    );
    const items = await this.#store.search(space, { filter, offset, limit: limit + 1 });
    return {
      ids: items.slice(0, limit).map(({ value }) => String(value["id"])),
      more: items.length > limit,
    };
  }

  /** Ids of all facts of a kind that pass a filter. */
  async all(kind: "open" | "ending", filter: Record<string, unknown>): Promise<string[]> {
    const ids: string[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const items = await this.#store.search(this.names.of(kind), { filter, offset, limit: PAGE });
      ids.push(...items.map(({ key }) => decodeURIComponent(key)));
      if (items.length < PAGE) return ids;
    }
  }

  #put(kind: FactKind, id: string, value: Value): Operation {
    return this.#putAt(this.names.of(kind), this.names.key(id), value);
  }
  /** Never found by what it says, and without an end, whatever lifetime the store gives to others. */
  #putAt(namespace: string[], key: string, value: Value): Operation {
    return { namespace, key, value, index: false, ttl: null } as Operation;
  }
  #remove(kind: FactKind, id: string): Operation {
    return { namespace: this.names.of(kind), key: this.names.key(id), value: null };
  }
  async #write(operations: Operation[]): Promise<void> {
    await this.#store.batch(operations);
  }
}
