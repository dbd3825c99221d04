import type { StateSnapshot } from "@skein/graph";
import { graphOfThread, type House, json, type Route } from "./house.ts";

type Fields = Record<string, unknown>;

/** A checkpoint as clients name it. */
function checkpointOf(config: { readonly configurable?: Fields } | undefined): Fields | null {
  const { thread_id, checkpoint_ns = "", checkpoint_id, checkpoint_map } = config?.configurable ?? {};
  if (thread_id === undefined) return null;
  return {
    thread_id,
    checkpoint_ns,
    checkpoint_id: checkpoint_id ?? null,
    checkpoint_map: checkpoint_map ?? null,
  };
}

/** A state as clients get it. */
function stateToJson(snapshot: StateSnapshot<unknown>): Fields {
  return {
    values: snapshot.values ?? {},
    next: snapshot.next,
    checkpoint: checkpointOf(snapshot.config),
    metadata: snapshot.metadata ?? {},
    created_at: snapshot.createdAt ?? null,
    parent_checkpoint: checkpointOf(snapshot.parentConfig),
    tasks: snapshot.tasks.map((task) => {
      const { state, error, ...rest } = task as unknown as Fields;
      const isState = typeof state === "object" && state !== null && "values" in state;
      return {
        ...rest,
        interrupts: rest["interrupts"] ?? [],
        error: error === undefined ? null : errorText(error),
        checkpoint: checkpointOf((isState ? (state as Fields)["config"] : state) as never),
        state: isState ? stateToJson(state as unknown as StateSnapshot<unknown>) : null,
      };
    }),
  };
}

function errorText(error: unknown): string {
  const { name, message } = error as Error;
  return message === undefined ? String(error) : `${name}: ${message}`;
}

const at = (thread: string | undefined, checkpoint: unknown): { configurable: Fields } => ({
  configurable: { ...(checkpoint as Fields | undefined), thread_id: thread },
});

async function state(house: House, thread: string, checkpoint: unknown, subgraphs: boolean): Promise<Fields> {
  const graph = await graphOfThread(house, thread);
  return stateToJson(await graph.getState(at(thread, checkpoint), { subgraphs }));
}

export const threadRoutes: readonly Route[] = [
  {
    method: "GET",
    path: /^\/threads\/([^/]+)\/state$/,
    async handle(house, [thread = ""], { query }, response) {
      json(response, await state(house, thread, undefined, query["subgraphs"] === "true"));
    },
  },
  {
    method: "POST",
    path: /^\/threads\/([^/]+)\/state\/checkpoint$/,
    async handle(house, [thread = ""], { body }, response) {
      json(response, await state(house, thread, body["checkpoint"], body["subgraphs"] === true));
    },
  },
  {
    method: "POST",
    path: /^\/threads\/([^/]+)\/state$/,
    async handle(house, [thread = ""], { body }, response) {
      const graph = await graphOfThread(house, thread);
      const place = at(thread, body["checkpoint"]);
      const config = await graph.updateState(place, body["values"], body["as_node"] as string | undefined);
      json(response, { checkpoint: checkpointOf(config as never) });
    },
  },
  {
    method: "POST",
    path: /^\/threads\/([^/]+)\/history$/,
    async handle(house, [thread = ""], { body }, response) {
      const graph = await graphOfThread(house, thread);
      const { limit, before, metadata } = body;
      const states: Fields[] = [];
      const options = {
        limit: limit as number,
        ...(before ? { before: at(thread, before) } : {}),
        ...(metadata ? { filter: metadata as Fields } : {}),
      };
      for await (const one of graph.getStateHistory(at(thread, undefined), options))
        states.push(stateToJson(one));
      json(response, states);
    },
  },
];
