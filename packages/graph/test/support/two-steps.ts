import { START, StateGraph, type StreamTransformer } from "@skein/graph";
import { State } from "./trail.ts";

/** a -> b, of which `a` waits until it is let go or stopped; `running` resolves when it does. */
export function twoSteps() {
  const ran: string[] = [];
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  const begin: { say?: () => void } = {};
  const running = new Promise<void>((resolve) => (begin.say = resolve));
  const graph = new StateGraph(State)
    .addNode("a", async (_state, { signal }) => {
      ran.push("a");
      begin.say?.();
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
  return { builder: graph, ran, running, open: () => gate.open?.() };
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export const plain: StreamTransformer<object> = { init: () => ({}), process: () => true };
