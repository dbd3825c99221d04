import { RemoteException } from "../errors/errors.ts";
import { GraphError, thrownMessage } from "@skein/errors";
import { isGraphBubbleUp } from "../errors/signals.ts";
import { heeding } from "./heed.ts";

/** How much of a server's answer stands in a message; `cause` has all of it. */
const SHOWN = 500;

/** What failed, for messages. */
export interface Asked {
  /** As in "The run of graph \"x\"". */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * An error of the SDK or of the connection as one that says what happened. What is none passes: a
 * signal of a graph, an abort that the caller asked for.
 */
export function remoteFailure({ what, signal }: Asked, error: unknown): unknown {
  if (GraphError.is(error) || isGraphBubbleUp(error) || signal?.aborted) return error;
  const { status, text } = (error ?? {}) as { status?: unknown; text?: unknown };
  if (typeof status === "number") {
    return new RemoteException(`${what} was refused with HTTP ${status}: ${detailOf(text)}`, {
      status,
      details: { status },
      cause: error,
    });
  }
  return new RemoteException(`${what} got no answer that can be used: ${explained(error)}`, {
    code: "REMOTE_UNREACHABLE",
    cause: error,
  });
}

/** Makes a request; its failure says what was asked. @param signal - ends the waiting, with its reason */
export async function asking<T>(what: string, ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    signal?.throwIfAborted();
    const answer = await heeding(signal, ask());
    if (answer === undefined || answer === null) throw new Error("The answer is empty");
    return answer;
  } catch (error) {
    signal?.throwIfAborted();
    throw remoteFailure({ what }, error);
  }
}

/** What a server says in the body of a refusal. */
function detailOf(body: unknown): string {
  if (typeof body !== "string" || body === "") return "it said nothing more.";
  return shortened(memberOf(body) ?? body);
}

function memberOf(body: string): string | undefined {
  try {
    const { detail, message, error } = JSON.parse(body) as Record<string, unknown>;
    const said = detail ?? message ?? error;
    return said === undefined || typeof said === "string" ? said : JSON.stringify(said);
  } catch {
    return undefined;
  }
}

/** With the causes that `fetch` hides behind "fetch failed". */
function explained(error: unknown): string {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  const message = thrownMessage(error);
  return shortened(cause === undefined || cause === null ? message : `${message} (${thrownMessage(cause)})`);
}

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
}
