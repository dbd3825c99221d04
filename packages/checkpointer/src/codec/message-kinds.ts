import {
  AIMessage,
  AIMessageChunk,
  BaseMessageChunk,
  type BaseMessage,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";

export type Fields = Record<string, unknown>;

/** Makes a message; its keyword arguments become part of it. */
export type MakeMessage = new (fields: Fields) => BaseMessage;

/** A class of messages, as it is stored. */
export interface MessageKind {
  readonly tag: string;
  /** Of its own for each class, in this process. */
  readonly index: number;
  /** The `type` of its messages. */
  readonly role: string;
  readonly made: MakeMessage;
  /** Properties that hold what a message says. */
  readonly fields: readonly string[];
  /** Of each field, whether it is one that the constructor completes. */
  readonly isCompleted: readonly boolean[];
  /** Keyword arguments that the constructor completes, in its order. */
  readonly completed: readonly string[];
  /** Those of them that stand behind the content, once chunks were joined. Undefined for what is not. */
  readonly joined: readonly string[] | undefined;
}

/** Marks what LangChain takes for a message. */
export const MESSAGE = Symbol.for("langchain.message");

const BASE = ["content", "id", "name", "additional_kwargs", "response_metadata"];
const CALLS = ["tool_calls", "invalid_tool_calls"];
const COMPLETED = ["additional_kwargs", "response_metadata"];

function kind(
  tag: string,
  made: new (fields: never) => BaseMessage,
  fields: readonly string[] = [],
  completed: readonly string[] = COMPLETED,
  joined?: readonly string[],
): Omit<MessageKind, "index"> {
  const all = [...BASE, ...fields];
  return {
    tag,
    role: tag.replace("Chunk", ""),
    made: made as unknown as MakeMessage,
    fields: all,
    isCompleted: all.map((field) => completed.includes(field)),
    completed,
    joined,
  };
}

const RESULT = ["tool_call_id", "status", "artifact"];

const KINDS: readonly Omit<MessageKind, "index">[] = [
  kind("human", HumanMessage),
  kind("ai", AIMessage, [...CALLS, "usage_metadata"], [...CALLS, ...COMPLETED]),
  kind("system", SystemMessage),
  kind("tool", ToolMessage, [...RESULT, "metadata"]),
  kind("function", FunctionMessage),
  kind("remove", RemoveMessage),
  kind("generic", ChatMessage, ["role"]),
  kind("humanChunk", HumanMessageChunk),
  kind(
    "aiChunk",
    AIMessageChunk,
    [...CALLS, "tool_call_chunks", "usage_metadata"],
    [...CALLS, "tool_call_chunks", ...COMPLETED],
    [...COMPLETED, "tool_call_chunks", "tool_calls"],
  ),
  kind("systemChunk", SystemMessageChunk),
  kind("toolChunk", ToolMessageChunk, RESULT),
  kind("functionChunk", FunctionMessageChunk),
  kind("genericChunk", ChatMessageChunk, ["role"]),
];
const ALL: readonly MessageKind[] = KINDS.map((each, index) => ({ ...each, index }));

const BY_TAG: ReadonlyMap<string, MessageKind> = new Map(ALL.map((each) => [each.tag, each]));
const BY_PROTOTYPE: ReadonlyMap<unknown, MessageKind> = new Map(
  ALL.map((each) => [each.made.prototype, each]),
);

export const MESSAGE_TAGS: ReadonlySet<string> = new Set(BY_TAG.keys());

/** A message of any copy of @langchain/core, or of a class that was derived from one of its. */
export function isMessage(value: object): value is BaseMessage {
  return (
    (value as { [MESSAGE]?: unknown })[MESSAGE] === true && typeof (value as BaseMessage).type === "string"
  );
}

/** Undefined where the tag is of no message. */
export function kindOfTag(tag: string): MessageKind | undefined {
  return BY_TAG.get(tag);
}

/** The class of a message, or for one of another class the nearest that LangChain has. */
export function kindOf(message: BaseMessage): MessageKind {
  const known = BY_PROTOTYPE.get(Object.getPrototypeOf(message));
  if (known !== undefined && known.role === message.type) return known;
  const role = BY_TAG.get(message.type)?.role === message.type ? message.type : "generic";
  return (BY_TAG.get(isChunk(message) ? `${role}Chunk` : role) ?? BY_TAG.get(role)) as MessageKind;
}

/** A message of the class that says nothing. */
export function blankMessage({ made }: MessageKind): BaseMessage {
  return new made({ content: "" });
}

/** A chunk of any copy of @langchain/core, or of a class derived from one: by what its classes are called. */
function isChunk(message: BaseMessage): boolean {
  if (BaseMessageChunk.isInstance(message)) return true;
  for (
    let of = Object.getPrototypeOf(message) as object | null;
    of !== null;
    of = Object.getPrototypeOf(of)
  ) {
    const made = of.constructor as { name: string; lc_name?: () => unknown };
    const name = typeof made.lc_name === "function" ? made.lc_name() : made.name;
    if (made.name === "BaseMessageChunk" || (typeof name === "string" && name.endsWith("MessageChunk")))
      return true;
  }
  return false;
}
