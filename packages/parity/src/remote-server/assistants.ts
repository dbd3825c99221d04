import type { CompiledGraph } from "@skein/graph";
import { graphOf, json, type Route } from "./house.ts";

interface Drawn {
  toJSON(): unknown;
}

export const assistantRoutes: readonly Route[] = [
  {
    method: "GET",
    path: /^\/assistants\/([^/]+)\/graph$/,
    async handle(house, [id], { query }, response) {
      const graph = graphOf(house, id) as CompiledGraph & { getGraph(options: object): Drawn };
      const depth = Number(query["xray"]);
      const xray = Number.isNaN(depth) ? query["xray"] === "true" : depth;
      json(response, graph.getGraph({ xray }).toJSON());
    },
  },
  {
    method: "GET",
    path: /^\/assistants\/([^/]+)\/subgraphs(?:\/([^/]+))?$/,
    async handle(house, [id, namespace], { query }, response) {
      const found = graphOf(house, id).getSubgraphs(namespace, query["recurse"] === "true");
      const schemas = [...found].map(([place]) => [place, { graph_id: place, state_schema: {} }]);
      json(response, Object.fromEntries(schemas));
    },
  },
];
