import {
  createAgent,
  providerStrategy,
  type ResponseFormat,
  toolStrategy,
  ToolStrategy,
  type TypedToolStrategy,
  type ProviderStrategy,
} from "langchain";
import { z } from "zod";
import { model } from "./kit.ts";

const Weather = z.object({ city: z.string(), celsius: z.number() });
const Failure = z.object({ reason: z.string() });
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
} as const;
const go = { messages: "hi" };

async function cityOf(agent: {
  invoke(input: { messages: string }): Promise<{ structuredResponse: { city: string } }>;
}): Promise<string> {
  return (await agent.invoke(go)).structuredResponse.city;
}

/** What a structured response is, by every kind of format. */
export async function responses(): Promise<unknown[]> {
  const options = { handleError: (error: Error) => error.message, toolMessageContent: "noted" };
  const tooled: TypedToolStrategy<{ city: string; celsius: number }> = toolStrategy(Weather, options);
  const provided: ProviderStrategy<{ city: string; celsius: number }> = providerStrategy(Weather);
  const cities: string[] = [
    await cityOf(createAgent({ model, responseFormat: Weather })),
    await cityOf(createAgent({ model, responseFormat: tooled })),
    await cityOf(createAgent({ model, responseFormat: provided })),
    await cityOf(createAgent({ model, responseFormat: providerStrategy({ schema: Weather, strict: true }) })),
    await cityOf(createAgent({ model, responseFormat: ToolStrategy.fromSchema(Weather) })),
  ];
  const either = createAgent({ model, responseFormat: toolStrategy([Weather, Failure]) });
  const one = (await either.invoke(go)).structuredResponse;
  const told: string = "city" in one ? one.city : one.reason;
  const united = createAgent({ model, responseFormat: z.union([Weather, Failure]) });
  const other = (await united.invoke(go)).structuredResponse;
  const written: string = "city" in other ? other.city : other.reason;
  const json = createAgent({ model, responseFormat: { ...schema, required: ["city"] } });
  const byTool = createAgent({ model, responseFormat: toolStrategy({ ...schema, required: ["city"] }) });
  const unknowns: unknown[] = [
    (await json.invoke(go)).structuredResponse["city"],
    (await byTool.invoke(go)).structuredResponse["city"],
  ];
  const either2: ResponseFormat = provided;
  const withState = createAgent({
    model,
    stateSchema: z.object({ user: z.string() }),
    responseFormat: Weather,
  });
  const { user, structuredResponse } = await withState.invoke({ messages: "hi", user: "ada" });
  return [cities, told, written, unknowns, either2, user satisfies string, structuredResponse.celsius];
}

export async function notTheirResponse(): Promise<void> {
  // @ts-expect-error -- there is none
  void (await createAgent({ model, tools: [] }).invoke(go)).structuredResponse;
  // @ts-expect-error -- there is none
  void (await createAgent({ model, responseFormat: undefined }).invoke(go)).structuredResponse;
  const { structuredResponse } = await createAgent({ model, responseFormat: Weather }).invoke(go);
  // @ts-expect-error -- no key of it
  void structuredResponse.nothing;
  // @ts-expect-error -- a number
  structuredResponse.celsius satisfies string;
}

export function notFormats(): void {
  // @ts-expect-error -- no schema
  createAgent({ model, responseFormat: 3 });
  // @ts-expect-error -- no schema
  createAgent({ model, responseFormat: "json" });
  // @ts-expect-error -- no words
  toolStrategy(Weather, { handleError: 3 });
  // @ts-expect-error -- no option
  toolStrategy(Weather, { nothing: 3 });
  // @ts-expect-error -- no schema
  providerStrategy("json");
}
