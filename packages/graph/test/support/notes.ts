import { Annotation } from "@skein/graph";

export const Notes = Annotation.Root({
  topic: Annotation<string>,
  notes: Annotation<string[], string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});

export const thread = { configurable: { thread_id: "1" } };
