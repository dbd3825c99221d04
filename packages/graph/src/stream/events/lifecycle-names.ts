import { keyOf, type LifecycleCause, type LifecycleData, type Namespace } from "./protocol.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What graphs are called, and what made them start, as far as the events of a run tell it. */
export class LifecycleNames {
  readonly #root: string;
  readonly #guess: (namespace: Namespace) => string;
  /** Names of agents, by namespace; undefined for a graph that is none. */
  readonly #agents = new Map<string, string | undefined>();
  /** Causes that other transformers told. */
  readonly #told = new Map<string, LifecycleCause>();
  /** The call of a tool that a task serves, by the task's id. */
  readonly #toolCalls = new Map<string, string>();

  constructor(root: string, guess: ((namespace: Namespace) => string) | undefined) {
    this.#root = root;
    this.#guess = guess ?? ((namespace) => nodeOf(namespace));
  }
  /** A task of the graph begins. */
  noteTask(namespace: Namespace, data: unknown): void {
    const { id, input, metadata } = fieldsOf(data);
    const key = keyOf(namespace);
    if (!this.#agents.has(key)) this.#agents.set(key, textOf(fieldsOf(metadata)["lc_agent_name"]));
    const call = toolCallIn(input);
    if (typeof id === "string" && call !== undefined) this.#toolCalls.set(id, call);
  }
  /** Somebody else says that the graph starts, and why. */
  noteCause(namespace: Namespace, data: unknown): void {
    const { event, cause } = fieldsOf(data) as Partial<LifecycleData>;
    if (event !== "started" || typeof fieldsOf(cause)["type"] !== "string") return;
    this.#told.set(keyOf(namespace), cause as LifecycleCause);
  }
  nameOf(namespace: Namespace): string {
    if (namespace.length === 0) return this.#root;
    return this.#agentAt(namespace) ?? this.#guess(namespace);
  }
  /** Only of an agent it is said that a tool called it: any other graph is part of its node. */
  causeOf(namespace: Namespace): LifecycleCause | undefined {
    const told = this.#told.get(keyOf(namespace));
    if (told !== undefined || this.#agentAt(namespace) === undefined) return told;
    const segment = namespace.at(-1) ?? "";
    const call = this.#toolCalls.get(segment.slice(segment.indexOf(":") + 1));
    return call === undefined ? undefined : { type: "toolCall", tool_call_id: call };
  }
  #agentAt(namespace: Namespace): string | undefined {
    return this.#agents.get(keyOf(namespace)) || undefined;
  }
}

export function nodeOf(namespace: Namespace): string {
  return (namespace.at(-1) ?? "").split(":", 1)[0] ?? "";
}

/** A call beside its context, or the first of a list of calls. */
function toolCallIn(input: unknown): string | undefined {
  const calls = Array.isArray(input) ? (input as unknown[]) : [fieldsOf(input)["tool_call"]];
  const ids = calls.map((call) => fieldsOf(call)["id"]);
  return ids.find((id) => typeof id === "string" && id !== "") as string | undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
