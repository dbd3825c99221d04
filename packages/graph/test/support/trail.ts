import { Annotation } from "@skein/graph";

export const thread = { configurable: { thread_id: "t" } };

export const State = Annotation.Root({
  trail: Annotation<string[], string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});

export type S = typeof State.State;

export const leaves = (name: string) => (): Partial<S> => ({ trail: [name] });

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
