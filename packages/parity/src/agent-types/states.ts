import type { BaseMessage } from "@langchain/core/messages";
import { Annotation, Command, MessagesValue, ReducedValue, StateSchema } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod";
import { model } from "./kit.ts";

const visits = z.object({ user: z.string(), visits: z.number().default(0) });
const log = new ReducedValue(
  z.array(z.string()).default(() => []),
  { inputSchema: z.string(), reducer: (all: string[], one: string) => [...all, one] },
);
const zod = createAgent({ model, tools: [], stateSchema: visits });
const reduced = createAgent({ model, stateSchema: new StateSchema({ user: z.string(), log }) });
const annotated = createAgent({
  model,
  stateSchema: Annotation.Root({
    log: Annotation<string[], string>({ reducer: (all, one) => [...all, one], default: () => [] }),
  }),
});
const talking = createAgent({
  model,
  stateSchema: new StateSchema({ messages: MessagesValue, user: z.string() }),
});

/** The state of an agent, by every kind of schema. */
export async function states(): Promise<unknown[]> {
  const { user, visits: count, messages } = await zod.invoke({ messages: "hi", user: "ada" });
  const said: [string, number, BaseMessage[]] = [user, count, messages];
  const users: string[] = [(await talking.invoke({ messages: "hi", user: "ada" })).user];
  const logs: string[][] = [
    (await reduced.invoke({ messages: "hi", user: "ada", log: "one" })).log,
    (await annotated.invoke({ messages: "hi", log: "one" })).log,
  ];
  await zod.invoke({ messages: [{ role: "user", content: "hi" }], user: "ada", visits: 2 });
  await zod.invoke({ messages: [["user", "hi"]], user: "ada" });
  await zod.invoke({ messages, user: "ada" });
  await zod.invoke(null);
  await zod.invoke(new Command({ resume: true }));
  return [said, users, logs];
}

export async function notTheirState(): Promise<void> {
  const state = await zod.invoke({ messages: "hi", user: "ada" });
  // @ts-expect-error -- no key of it
  void state.nothing;
  // @ts-expect-error -- a text
  state.user satisfies number;
  // @ts-expect-error -- a text
  await zod.invoke({ messages: "hi", user: 3 });
  // @ts-expect-error -- no key of it
  await zod.invoke({ messages: "hi", user: "ada", nothing: 3 });
  // @ts-expect-error -- no messages
  await zod.invoke({ messages: 3, user: "ada" });
  // @ts-expect-error -- no input
  await zod.invoke("hi");
  // @ts-expect-error -- one line at a time
  await reduced.invoke({ messages: "hi", user: "ada", log: ["one"] });
  // @ts-expect-error -- one line at a time
  await annotated.invoke({ messages: "hi", log: ["one"] });
}

export function notStates(): void {
  // @ts-expect-error -- no schema
  createAgent({ model, stateSchema: 3 });
  // @ts-expect-error -- keys without the object
  createAgent({ model, stateSchema: { user: z.string() } });
  // @ts-expect-error -- no object
  createAgent({ model, stateSchema: z.string() });
}
