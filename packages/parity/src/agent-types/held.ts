import { createAgent, createMiddleware, type Interrupt } from "langchain";
import { z } from "zod";
import { add, model, spell } from "./kit.ts";

type AnyAgent = ReturnType<typeof createAgent>;
const State = z.object({ user: z.string() });
const visiting = createMiddleware({ name: "visiting", stateSchema: z.object({ visits: z.number() }) });
const go = { messages: "hi" };

/** A service that holds its agent. */
export class Service {
  private readonly agent: AnyAgent;
  private other: AnyAgent | null = null;

  constructor() {
    this.agent = createAgent({ model, tools: [add, spell], systemPrompt: "Be kind." });
  }
  async ask(question: string): Promise<string[]> {
    this.other ??= createAgent({ model });
    const { messages } = await this.agent.invoke({ messages: question });
    const texts: string[] = [];
    for (const { text } of messages) texts.push(text);
    for await (const chunk of await this.other.stream(go, { streamMode: "values" })) {
      texts.push(`${chunk.messages.length}`);
    }
    return texts;
  }
}

export const held: AnyAgent[] = [createAgent({ model, tools: [] }), createAgent({ model, tools: [add] })];
export const withState: AnyAgent = createAgent({ model, stateSchema: State, middleware: [visiting] });
export const withContext: AnyAgent = createAgent({ model, contextSchema: State });
export const withResponse: AnyAgent = createAgent({ model, responseFormat: State });
export function made(): AnyAgent {
  return createAgent({ model, tools: [add], middleware: [visiting], version: "v2" });
}
export async function later(): Promise<AnyAgent> {
  return createAgent({ model, tools: [spell] });
}

/** What is not known of it may be any. */
export async function asked(agent: AnyAgent): Promise<unknown[]> {
  const input = { messages: "hi", user: "ada" };
  const result = await agent.invoke(input, { context: { user: "ada" }, configurable: { thread_id: "1" } });
  await agent.invoke({ messages: "hi", user: "ada" });
  return [result.structuredResponse.user, result.user, result.visits];
}

interface Question {
  tools: string[];
}
/** What a run asks has an id and a value. */
export async function questions(): Promise<string[]> {
  const { __interrupt__: waits = [] } = await createAgent({ model }).invoke(go);
  for (const { id, value } of waits as Interrupt<Question>[]) if (id !== "") return value.tools;
  return (waits[0] as Interrupt<Question>).value.tools;
}
export const idOf = ({ id }: Interrupt<Question>): string => id;

export function notQuestions(): void {
  // @ts-expect-error -- without a value
  ({ id: "1" }) satisfies Interrupt<string>;
  // @ts-expect-error -- a text
  ({ id: "1", value: 3 }) satisfies Interrupt<string>;
}
