import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";

/** What a session can be listed by. */
export type SessionMetadata = Readonly<Record<string, string | number | boolean>>;

/** Why a session is over: somebody ended it, nobody used it for long enough, or it was too old. */
export type EndReason = "ended" | "idle" | "expired";

interface SessionFacts {
  readonly id: string;
  readonly userId: string;
  readonly tenant: string | undefined;
  /** Where its conversation is, as calls of an agent take it. */
  readonly thread: { readonly configurable: { readonly thread_id: string } };
  readonly metadata: SessionMetadata;
  /** What the bootstrap hook knew of the user when the session began. */
  readonly knowledge: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A conversation of one user from its first message to its end. */
export type Session = SessionFacts &
  (
    | { readonly state: "open"; readonly activeAt: number }
    /** Over; its history was not handed over yet. */
    | { readonly state: "ending"; readonly endedAt: number; readonly reason: EndReason }
    | {
        readonly state: "ended";
        readonly endedAt: number;
        readonly reason: EndReason;
        /** Under which its history was handed over; undefined when nobody takes histories. */
        readonly key: string | undefined;
      }
  );

/** The complete history of a session that is over. */
export interface Handoff {
  readonly session: Session;
  /**
   * Of every attempt to hand over the same history the same: who takes histories takes each key
   * once. A history that went on after an attempt has another key, and holds all of the earlier one.
   */
  readonly key: string;
  /** Oldest first, with all that was compacted out of the context. */
  readonly messages: readonly BaseMessage[];
}

/** What a hook could not do; the session goes on as if it had done nothing, and offload is tried again. */
export interface SessionFailure {
  readonly hook: "bootstrap" | "offload";
  readonly sessionId: string;
  readonly error: unknown;
}

export interface SessionManagerOptions {
  /** Where sessions are kept: any store, also one that other processes write to. */
  readonly store: BaseStore;
  /** Where their conversations are: the agent's checkpointer. */
  readonly saver: BaseCheckpointSaver;
  /** Whose sessions these are. A manager sees and touches those of its tenant only. Default: none. */
  readonly tenant?: string;
  /** Milliseconds without a call of the model after which a sweep ends a session. Default: never. */
  readonly idleMs?: number;
  /** Milliseconds after its beginning when a sweep ends a session. Default: never. */
  readonly maxAgeMs?: number;
  /** Milliseconds that the end of a session waits for a run of its thread. Default: 5,000. */
  readonly waitMs?: number;
  /**
   * Takes the complete history of a session that is over: a long-term memory, an archive. Called at
   * least once a session, again after an error or a crash. Not called for an empty history.
   */
  readonly offload?: (handoff: Handoff) => unknown;
  /**
   * Tells what is known of a user when a session begins; it becomes a paragraph of the system prompt
   * (see `middleware`). What it throws is reported, and the session begins without.
   */
  readonly bootstrap?: (beginning: Beginning) => string | undefined | Promise<string | undefined>;
  /**
   * Closes a turn that was left open, before a history is handed over: `(thread) => agent.heal(thread)`.
   * If the agent has `middleware` of this manager, write the manager's type beside its name.
   */
  readonly heal?: (thread: RunnableConfig) => Promise<unknown>;
  /** Told of a hook that threw. What it throws itself is a warning on the console. Default: such a warning. */
  readonly onFailure?: (failure: SessionFailure) => void;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** A session that is about to begin. */
export interface Beginning {
  readonly id: string;
  readonly userId: string;
  readonly tenant: string | undefined;
  readonly metadata: SessionMetadata;
}

export interface CreateSessionOptions {
  readonly userId: string;
  /** Must be unique: two users must never choose the same. Default: a random UUID. */
  readonly id?: string;
  readonly metadata?: SessionMetadata;
}

export interface ListSessionsOptions {
  readonly userId?: string;
  /** Each of these must be equal. */
  readonly metadata?: SessionMetadata;
  readonly state?: Session["state"];
  /** Most sessions of a page. Default: 20. */
  readonly limit?: number;
  /**
   * Where the page before ended. Sessions of that page may be deleted before: none of the others is left out.
   * Default: at the beginning.
   */
  readonly cursor?: string;
}

export interface SessionPage {
  /** In the order in which the store keeps them: with Skein's stores that in which they began. */
  readonly sessions: readonly Session[];
  /** Undefined at the end. */
  readonly cursor: string | undefined;
}

/** What a sweep did, by ids of sessions. */
export interface SweptSessions {
  /** Ended because their time was over. */
  readonly ended: readonly string[];
  /** Handed over, of those and of earlier ones. */
  readonly delivered: readonly string[];
  /** Over, but not handed over: the next sweep tries again. */
  readonly pending: readonly string[];
}
