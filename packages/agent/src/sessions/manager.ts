import { GraphError, LONGEST_TIMER } from "@skein/errors";
import { requireMilliseconds } from "../milliseconds.ts";
import { reporting } from "../reporting.ts";
import { Conversations } from "./conversation.ts";
import { SessionFactStore } from "./facts.ts";
import { handOver, type HandingOver } from "./handoff.ts";
import { sessionEnded, sessionMiddleware, unknownSession } from "./middleware.ts";
import {
  requireBeginning,
  requireKnowledge,
  requireLimit,
  requireListing,
  requireMetadata,
  requireStorage,
  requireSweeping,
} from "./checks.ts";
import { cursorAfter, parseCursor, positionOf } from "./cursor.ts";
import { sweepSessions } from "./sweep.ts";
import type {
  CreateSessionOptions,
  ListSessionsOptions,
  Session,
  SessionFailure,
  SessionManagerOptions,
  SessionPage,
  SweptSessions,
} from "./types.ts";

/** A use of a session is stored only when the one that is stored is this old: a part of its idle time. */
const TOUCHES = 20;
const TOUCH_MS = 30_000;

/**
 * Sessions: who talks on which thread, from when to when, and what becomes of the conversation then.
 *
 * Keeps nothing in the process. Any number of managers in any number of processes over the same
 * store and saver see one truth, and each can end and sweep the sessions of all.
 *
 * @throws GraphError INVALID_CONFIGURATION for a time that is none
 *
 * @example
 * const sessions = new SessionManager({ store, saver, offload: ({ key, messages }) => memory.add(key, messages) });
 * const agent = createAgent({ model, checkpointer: saver, middleware: [sessions.middleware()] });
 * const session = await sessions.create({ userId: "ada" });
 * await agent.invoke({ messages: "Hello" }, session.thread);
 * await sessions.end(session.id);
 */
export class SessionManager {
  readonly #options: SessionManagerOptions;
  readonly #facts: SessionFactStore;
  readonly #needs: HandingOver;
  readonly #now: () => number;

  constructor(options: SessionManagerOptions) {
    requireStorage(options);
    for (const name of ["idleMs", "maxAgeMs", "waitMs"] as const) requireMilliseconds(options[name], name);
    const { store, saver, tenant, waitMs = 5_000, now = Date.now, onFailure = warn } = options;
    this.#options = options;
    this.#facts = new SessionFactStore(store, tenant);
    this.#now = now;
    const conversations = new Conversations(saver);
    const report = (failure: SessionFailure): void =>
      reporting("onFailure of SessionManager", () => onFailure(failure));
    this.#needs = { facts: this.#facts, conversations, options, waitMs, now, report };
  }

  /** The same for another tenant, whose sessions have nothing to do with this one's. */
  forTenant(tenant: string): SessionManager {
    return new SessionManager({ ...this.#options, tenant });
  }

  /**
   * Begins a session. With the `id` of one that this user has open it gives that one.
   *
   * @throws GraphError INVALID_INPUT for no user, or an id that another user has; SESSION_ENDED for
   *   one that is over; INVALID_CONFIGURATION for a bootstrap hook that returns no text
   */
  async create(options: CreateSessionOptions): Promise<Session> {
    requireBeginning(options);
    const { userId, id = crypto.randomUUID(), metadata = {} } = options;
    requireMetadata(metadata);
    this.#facts.names.ofUser(userId);
    const known = await this.get(id);
    if (known?.userId === userId && known.state === "open") return known;
    if (known?.userId === userId) throw sessionEnded(known);
    if (known !== undefined) {
      throw new GraphError("INVALID_INPUT", `There is a session "${id}" of another user. Nothing was done.`);
    }
    const knowledge: unknown = await this.#knowledge({ userId, id, metadata });
    requireKnowledge(knowledge);
    await this.#facts.begin({ id, userId, metadata, createdAt: this.#now(), knowledge: knowledge ?? null });
    return this.#require(id);
  }

  async #knowledge(beginning: Required<CreateSessionOptions>): Promise<string | undefined> {
    const { bootstrap, tenant } = this.#options;
    try {
      return await bootstrap?.({ ...beginning, tenant });
    } catch (error) {
      this.#needs.report({ hook: "bootstrap", sessionId: beginning.id, error });
      return undefined;
    }
  }

  /** Undefined for a session that is not there, or another tenant's. */
  async get(id: string): Promise<Session | undefined> {
    return (await this.#facts.read([id]))[0]?.session;
  }

  /**
   * A page of the sessions: of all, of a user, of those with certain metadata.
   *
   * @example
   * const first = await sessions.list({ userId: "ada", metadata: { channel: "web" } });
   * const next = await sessions.list({ userId: "ada", metadata: { channel: "web" }, cursor: first.cursor });
   */
  async list(options: ListSessionsOptions = {}): Promise<SessionPage> {
    requireListing(options);
    const { userId, metadata = {}, state, limit = 20, cursor } = options;
    requireMetadata(metadata);
    requireLimit(limit);
    const sessions: Session[] = [];
    const read: string[] = [];
    const page = (from: number, count: number) =>
      this.#facts.page(userId, metadata, { offset: from, limit: count });
    const before = parseCursor(cursor);
    const start = await positionOf(before, async (from, count) => (await page(from, count)).ids);
    for (let offset = start; ; offset += limit) {
      const { ids, more } = await page(offset, limit);
      for (const [at, known] of (await this.#facts.read(ids)).entries()) {
        read.push(ids[at] as string);
        if (known === undefined || (state !== undefined && known.session.state !== state)) continue;
        sessions.push(known.session);
        if (sessions.length < limit) continue;
        const isLast = !more && at === ids.length - 1;
        return { sessions, cursor: isLast ? undefined : cursorAfter(offset + at + 1, read, before) };
      }
      if (!more) return { sessions, cursor: undefined };
    }
  }

  /**
   * Ends a session and hands its history over. From then on `middleware` refuses its thread. A run
   * that is on is waited for; if that takes too long, or the offload hook throws, the session is
   * `"ending"` and a sweep hands it over later. Ending again is harmless, and hands over what was
   * added since.
   *
   * @throws GraphError UNKNOWN_SESSION
   */
  async end(id: string): Promise<Session> {
    const session = await this.#require(id);
    if (session.state === "open") await this.#facts.end(id, { endedAt: this.#now(), reason: "ended" });
    await handOver(session, this.#needs);
    return this.#require(id);
  }

  /**
   * Deletes a session with its thread and all that is known of it. Nothing is handed over: call
   * `end` before, if somebody is to keep the history. A run that is on is waited for. What the
   * offload hook was given earlier is for whoever took it to delete.
   *
   * @returns false when there was no such session
   * @throws GraphError THREAD_CONFLICT when a run still works on the thread after `waitMs`; nothing is deleted
   */
  async delete(id: string): Promise<boolean> {
    const session = await this.get(id);
    if (session === undefined) return false;
    const { conversations, waitMs } = this.#needs;
    const { thread_id } = session.thread.configurable;
    await conversations.alone(thread_id, waitMs, async () => {
      await conversations.delete(thread_id);
      // last: until then it is found, and can be deleted again
      await this.#facts.delete(id, session.userId);
    });
    return true;
  }

  /**
   * Ends the sessions whose time is over (`idleMs`, `maxAgeMs`), and hands over those that are over
   * and were not handed over: by a process that crashed, to a hook that threw. A session whose thread
   * is at work is left alone. May run in several processes at once.
   */
  async sweep(): Promise<SweptSessions> {
    return sweepSessions({ ...this.#needs, limits: this.#options });
  }

  /** Sweeps every minute, or as told and at least every 24 days, until the function that it returns is called. */
  startSweeper(
    options: { readonly everyMs?: number; readonly onError?: (error: unknown) => void } = {},
  ): () => void {
    requireSweeping(options);
    const { everyMs = 60_000, onError = warnOfSweep } = options;
    requireMilliseconds(everyMs, "everyMs");
    let isSweeping = false;
    const timer = setInterval(
      () => {
        if (isSweeping) return;
        isSweeping = true;
        void this.sweep()
          .catch((error: unknown) => reporting("onError of startSweeper", () => onError(error)))
          .finally(() => {
            isSweeping = false;
          });
      },
      Math.min(everyMs, LONGEST_TIMER),
    );
    // a browser's timers keep nothing alive and have no such method
    (timer as { unref?: () => void }).unref?.();
    return () => clearInterval(timer);
  }

  /** That a session is in use, for programs that call their agent without `middleware`. */
  async touch(id: string): Promise<Session> {
    const session = await this.#require(id);
    if (session.state !== "open") throw sessionEnded(session);
    const { idleMs = Infinity } = this.#options;
    const now = this.#now();
    if (now - session.activeAt >= Math.min(TOUCH_MS, idleMs / TOUCHES)) {
      await this.#facts.touch(id, now, session.createdAt);
    }
    return session;
  }

  /**
   * For the agent: it runs threads of sessions that are open and no others, notes that they are used,
   * and puts what the bootstrap hook knew at the end of the system prompt.
   */
  middleware() {
    return sessionMiddleware(async (threadId) => {
      // programs without types name threads by numbers, too
      const id = threadId === undefined ? undefined : this.#facts.names.idOf(String(threadId));
      if (id === undefined) throw unknownSession(`of the thread ${JSON.stringify(threadId)}`);
      return this.touch(id);
    });
  }

  async #require(id: string): Promise<Session> {
    const session = await this.get(id);
    if (session === undefined) throw unknownSession(`"${id}"`);
    return session;
  }
}

function warn({ hook, sessionId, error }: SessionFailure): void {
  console.warn(`The ${hook} hook of session "${sessionId}" failed:`, error);
}

function warnOfSweep(error: unknown): void {
  console.warn("A sweep of sessions failed; the next one tries again:", error);
}
