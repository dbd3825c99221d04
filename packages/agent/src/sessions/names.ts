import { GraphError } from "@skein/errors";

/**
 * The kinds of facts that are kept of sessions, each in a namespace of its own:
 *
 * - `records`: that it began, and how. Written once. `users` holds copies, by user.
 * - `open`: when it was last used. What a sweep looks through for sessions whose time is over.
 * - `ending`: that it is to be handed over. Removed when it has been.
 * - `ends`, `handoffs`: that it is over; that its history was taken. Removed when the session is deleted, never before.
 */
export type FactKind = "records" | "open" | "ending" | "ends" | "handoffs";

/** Never part of an encoded name, so no name is the beginning of another one. */
const STOP = "$";

/**
 * Where the facts of a tenant's sessions stand. Parts are encoded: stores that glue the parts of a
 * namespace together, and look for prefixes of the text, must not find one tenant's in another's.
 */
export class SessionNames {
  readonly #root: readonly string[];
  readonly #prefix: string;

  constructor(tenant: string | undefined) {
    const name = tenant === undefined ? "" : encoded(tenant, "The tenant");
    this.#root = ["skein", "sessions", `${name}${STOP}`];
    this.#prefix = tenant === undefined ? "" : `${name}${STOP}`;
  }

  of(kind: FactKind): string[] {
    return [...this.#root, kind];
  }
  ofUser(userId: string): string[] {
    return [...this.#root, "users", `${encoded(userId, "The userId of a session")}${STOP}`];
  }
  key(id: string): string {
    return encoded(id, "The id of a session");
  }
  /** The id itself, unless a tenant's thread could have that name. */
  threadOf(id: string): string {
    const key = this.key(id);
    return this.#prefix === "" && !/[$%]/.test(id) ? id : `${this.#prefix}${key}`;
  }
  /** Undefined for a thread that is no session's of this tenant. */
  idOf(threadId: string): string | undefined {
    if (!threadId.startsWith(this.#prefix)) return undefined;
    try {
      const id = decodeURIComponent(threadId.slice(this.#prefix.length));
      return this.threadOf(id) === threadId ? id : undefined;
    } catch {
      // no name that was made here
      return undefined;
    }
  }
}

/** @throws GraphError INVALID_INPUT for what is no text, empty, or has half a character */
function encoded(name: unknown, what: string): string {
  if (typeof name !== "string" || name === "" || /\p{Surrogate}/u.test(name)) {
    throw new GraphError(
      "INVALID_INPUT",
      `${what} must be a text of whole characters that is not empty. Nothing was done.`,
    );
  }
  return encodeURIComponent(name).replaceAll(".", "%2E");
}
