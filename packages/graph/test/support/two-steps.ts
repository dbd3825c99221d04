import { START, StateGraph, type StreamTransformer } from "@skein/graph";
import { State } from "./trail.ts";

/** a -> b, of which `a` waits until it is let go or stopped. */
export function twoSteps() {
  const ran: string[] = [];
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  const graph = new StateGraph(State)
    .addNode("a", async (_state, { signal }) => {
      ran.push("a");
      await Promise.race([
        opened,
        new Promise((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason as Error)),
        ),
      ]);
      return { trail: ["a"] };
    })
    .addNode("b", () => {
      ran.push("b");
      return { trail: ["b"] };
    })
    .addEdge(START, "a")
    .addEdge("a", "b");
  return { builder: graph, ran, open: () => gate.open?.() };
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export const plain: StreamTransformer<object> = { init: () => ({}), process: () => true };
