import { isPlain } from "../ids/plain.ts";
import { type TimeoutPolicy, timeoutPolicy } from "./timeout-policy.ts";

const SEND = Symbol.for("skein.send");

export interface SendOptions {
  /** Replaces the node's own timeout for this task; a number is `runTimeout`. */
  timeout?: number | TimeoutPolicy;
}

/**
 * Runs a node in the next step with an input of its own, once for each Send. Recognised by brand
 * (I10). Plain objects and lists of the input are copied, as a node may edit what it is given: hand over
 * what it needs, and not the whole state to each of many.
 *
 * @example
 * builder.addConditionalEdges("plan", (state) => state.topics.map((t) => new Send("write", { topic: t })));
 */
// oxlint-disable-next-line typescript/no-explicit-any -- whatever its node takes
export class Send<Node extends string = string, Args = any> {
  readonly [SEND] = true;
  readonly lg_name = "Send";
  node: Node;
  args: Args;
  timeout: TimeoutPolicy | undefined;

  constructor(node: Node, args: Args, options?: SendOptions) {
    this.node = node;
    this.args = copied(args) as Args;
    this.timeout = timeoutPolicy(options?.timeout);
  }
  toJSON(): { lg_name: "Send"; node: Node; args: Args; timeout?: TimeoutPolicy } {
    const json = { lg_name: this.lg_name, node: this.node, args: this.args } as const;
    return this.timeout === undefined ? json : { ...json, timeout: this.timeout };
  }
}

/** Plain objects and lists anew: what a node edits of its input is its own, and not the state's. */
function copied(value: unknown, seen?: Map<unknown, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return value;
  const known = (seen ??= new Map()).get(value);
  if (known !== undefined) return known;
  const copy: Record<PropertyKey, unknown> & unknown[] = (isList ? [...value] : {}) as never;
  seen.set(value, copy);
  // an embedding is copied as a whole
  if (isList) value.forEach((one, at) => typeof one === "object" && (copy[at] = copied(one, seen)));
  else for (const key of Object.keys(value)) if (key !== "__proto__") copy[key] = copied(value[key], seen);
  return copy;
}

/** Whether a value is a real {@link Send}, of any copy of this package; data of its shape is none (I10). */
export function isSend(value: unknown): value is Send {
  return typeof value === "object" && value !== null && SEND in value;
}

/** For the journal only: a Send as a saver without brands gives it back. */
export function reviveSend(stored: unknown): unknown {
  if (isSend(stored) || typeof stored !== "object" || stored === null) return stored;
  const { node, args, timeout } = stored as { node?: unknown; args?: unknown; timeout?: TimeoutPolicy };
  if (typeof node !== "string") return stored;
  return new Send(node, args, timeout === undefined ? undefined : { timeout });
}
