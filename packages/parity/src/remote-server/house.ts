import type { ServerResponse } from "node:http";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { CompiledGraph } from "@skein/graph";

/** A request as it came, for tests that look at what was asked. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
}

/** What a server does wrong, for tests of failures. */
export interface Faults {
  /** Answers requests whose path begins with this, as often as `times` says (default: always). */
  refuse?: { readonly path: string; readonly status: number; readonly body: string; times?: number };
  /** Cuts the connection after so many events, once for each entry. */
  cutAfter?: number[];
  /** Sends this in place of the first event. */
  garbage?: { readonly type: string; readonly text: string };
  /** Keeps every stream waiting, in milliseconds, before its first event. */
  silence?: number;
}

/** A run and its events, as routes see it. */
export interface LiveRun {
  readonly state: "running" | "done" | "cancelled";
  cancel(): void;
  /** Events after the given one, as they come. */
  after(last: number): AsyncGenerator<string>;
}

/** What routes work with. */
export interface House {
  readonly graphs: Readonly<Record<string, CompiledGraph>>;
  readonly runs: Map<string, LiveRun>;
  /** Of each thread the run that began last and is followed by its events. */
  readonly followed: Map<string, LiveRun>;
  readonly faults: Faults;
  /** Names of this server's runs, in the order in which they began. */
  readonly nextRun: () => string;
}

export interface Route {
  readonly method: string;
  /** With groups for the parts that are passed on. */
  readonly path: RegExp;
  handle(house: House, parts: readonly string[], asked: Asked, response: ServerResponse): Promise<void>;
}

/** A refusal with a status, as servers of LangGraph give it. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(toJson(body));
}

/** JSON as servers send it: messages as flat objects with their type. */
export function toJson(body: unknown): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, key: string, value: unknown) {
    const raw = this[key] as { toDict?: () => { type: string; data: object } } | null | undefined;
    if (typeof raw !== "object" || raw === null || typeof raw.toDict !== "function") return value;
    const { type, data } = raw.toDict();
    return { ...data, type };
  });
}

export function graphOf({ graphs }: House, id: unknown): CompiledGraph {
  const graph = graphs[String(id)];
  if (graph === undefined) throw new Refusal(404, `Assistant "${String(id)}" not found`);
  return graph;
}

/** The graph whose saver has the thread, and any one for a thread that nobody has begun. */
export async function graphOfThread(house: House, thread: string): Promise<CompiledGraph> {
  const all = Object.values(house.graphs);
  for (const graph of all) {
    const saver = graph.checkpointer as BaseCheckpointSaver | undefined;
    if ((await saver?.getTuple({ configurable: { thread_id: thread } })) !== undefined) return graph;
  }
  const first = all.find(({ checkpointer }) => checkpointer !== undefined);
  if (first === undefined) throw new Refusal(404, `Thread "${thread}" not found`);
  return first;
}
