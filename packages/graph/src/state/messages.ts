import type { BaseMessage } from "@langchain/core/messages";
import { type Messages, messagesStateReducer } from "../channels/messages-reducer.ts";
import { messagesDeltaReducer } from "../channels/messages-delta-reducer.ts";
import { Annotation } from "./annotation.ts";
import type { StandardSchema } from "./standard.ts";
import { DeltaValue, ReducedValue } from "./values.ts";

/** A state with one key: `messages`, merged with `messagesStateReducer`. */
export const MessagesAnnotation = Annotation.Root({
  messages: Annotation<BaseMessage[], Messages>({ reducer: messagesStateReducer, default: () => [] }),
});

/** Accepts anything: the reducer coerces and complains. */
const anyMessages: StandardSchema<Messages, BaseMessage[]> = {
  "~standard": {
    version: 1,
    vendor: "skein",
    validate: (value) => ({ value: (value ?? []) as BaseMessage[] }),
  },
};

const jsonSchemaExtra = { langgraph_type: "messages", description: "A list of chat messages" };

/** The key `messages` for a StateSchema. */
export const MessagesValue: ReducedValue<BaseMessage[], Messages> = new ReducedValue<BaseMessage[], Messages>(
  anyMessages as StandardSchema<unknown, BaseMessage[]>,
  {
    inputSchema: anyMessages as StandardSchema<unknown, never>,
    reducer: messagesStateReducer,
    jsonSchemaExtra,
  },
);

/** The key `messages` for a StateSchema whose threads LangGraph's savers keep as deltas. */
export const MessagesDeltaValue: DeltaValue<BaseMessage[], Messages> = new DeltaValue<
  BaseMessage[],
  Messages
>(anyMessages as StandardSchema<unknown, BaseMessage[]>, {
  inputSchema: anyMessages as StandardSchema<unknown, never>,
  reducer: messagesDeltaReducer,
  jsonSchemaExtra,
});
