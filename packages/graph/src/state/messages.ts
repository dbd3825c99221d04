import type { BaseMessage } from "@langchain/core/messages";
import { z as z3 } from "zod/v3";
import { type Messages, messagesStateReducer } from "../channels/messages-reducer.ts";
import { messagesDeltaReducer } from "../channels/messages-delta-reducer.ts";
import { Annotation } from "./annotation.ts";
import type { StandardSchema } from "./standard.ts";
import { type ReducedZodChannel, type SchemaMeta, withLangGraph } from "./zod/registry.ts";
import type { ZodSchema } from "./zod/types.ts";
import { DeltaValue, ReducedValue } from "./values.ts";

/**
 * A state with one key: `messages`, merged with `messagesStateReducer`.
 *
 * @example
 * const State = Annotation.Root({ ...MessagesAnnotation.spec, topic: Annotation<string>() });
 */
export const MessagesAnnotation = Annotation.Root({
  messages: Annotation<BaseMessage[], Messages>({ reducer: messagesStateReducer, default: () => [] }),
});

/**
 * Accepts anything: the reducer coerces and complains.
 *
 * @param absent - what there is before anything was written
 */
const anyMessages = (absent: () => unknown): StandardSchema<unknown, BaseMessage[]> => ({
  "~standard": {
    version: 1,
    vendor: "skein",
    validate: (value) => ({ value: (value === undefined ? absent() : value) as BaseMessage[] }),
  },
});
const stored = anyMessages(() => []);
// undefined stays undefined, so that the reducer refuses it
const written = anyMessages(() => undefined) as StandardSchema<unknown, never>;

/** What `.register(registry, MessagesZodMeta)` says of the key `messages` of a zod 4 state. */
export const MessagesZodMeta: SchemaMeta<BaseMessage[], Messages> = {
  reducer: { fn: messagesStateReducer },
  jsonSchemaExtra: { langgraph_type: "messages" },
  default: () => [],
};

/** A zod state with one key: `messages`, merged with `messagesStateReducer`. */
export const MessagesZodState: MessagesZodObject = z3.object({
  messages: withLangGraph(z3.custom<BaseMessage[]>(), MessagesZodMeta),
});

type MessagesZodObject = z3.ZodObject<{
  messages: ReducedZodChannel<z3.ZodType<BaseMessage[]>, ZodSchema<Messages>>;
}>;

const jsonSchemaExtra = { langgraph_type: "messages", description: "A list of chat messages" };

/**
 * The key `messages` for a StateSchema.
 *
 * @example
 * const State = new StateSchema({ messages: MessagesValue, topic: z.string() });
 */
export const MessagesValue: ReducedValue<BaseMessage[], Messages> = new ReducedValue<BaseMessage[], Messages>(
  stored,
  {
    inputSchema: written,
    reducer: messagesStateReducer,
    jsonSchemaExtra,
  },
);

/** The key `messages` for a StateSchema whose threads LangGraph's savers keep as deltas. */
export const MessagesDeltaValue: DeltaValue<BaseMessage[], Messages> = new DeltaValue<
  BaseMessage[],
  Messages
>(stored, {
  inputSchema: written,
  reducer: messagesDeltaReducer,
  jsonSchemaExtra,
});
