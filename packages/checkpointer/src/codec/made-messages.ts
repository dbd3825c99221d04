import type { BaseMessage } from "@langchain/core/messages";
import { argumentsOf, emptyOf } from "./argument-order.ts";
import { blankMessage, type Fields, type MakeMessage, MESSAGE, type MessageKind } from "./message-kinds.ts";

/** What the constructors below set, in the order in which those of the classes do. */
interface Message {
  lc_serializable: boolean;
  lc_kwargs: Fields;
  lc_namespace: string[];
  [MESSAGE]: boolean;
  id: unknown;
  name: unknown;
  content: unknown;
  additional_kwargs: unknown;
  response_metadata: unknown;
  type: string;
  tool_calls: unknown;
  invalid_tool_calls: unknown;
  usage_metadata: unknown;
  lc_direct_tool_output: boolean;
  status: unknown;
  tool_call_id: unknown;
  metadata: unknown;
  artifact: unknown;
}

/*
 * Each sets all properties itself, one after the other: the object is made with room for those that its
 * constructor's own text assigns, and one made by two functions takes half as long again.
 */

function plain(type: string) {
  return function (this: Message, fields: Fields): void {
    this.lc_serializable = true;
    this.lc_kwargs = fields;
    this.lc_namespace = ["langchain_core", "messages"];
    this[MESSAGE] = true;
    this.id = fields["id"];
    this.name = fields["name"];
    this.content = fields["content"];
    this.additional_kwargs = fields["additional_kwargs"];
    this.response_metadata = fields["response_metadata"];
    this.type = type;
  };
}

function ai(this: Message, fields: Fields): void {
  this.lc_serializable = true;
  this.lc_kwargs = fields;
  this.lc_namespace = ["langchain_core", "messages"];
  this[MESSAGE] = true;
  this.id = fields["id"];
  this.name = fields["name"];
  this.content = fields["content"];
  this.additional_kwargs = fields["additional_kwargs"];
  this.response_metadata = fields["response_metadata"];
  this.type = "ai";
  this.tool_calls = fields["tool_calls"];
  this.invalid_tool_calls = fields["invalid_tool_calls"];
  this.usage_metadata = fields["usage_metadata"];
}

function tool(this: Message, fields: Fields): void {
  this.lc_serializable = true;
  this.lc_kwargs = fields;
  this.lc_namespace = ["langchain_core", "messages"];
  this[MESSAGE] = true;
  this.id = fields["id"];
  this.name = fields["name"];
  this.content = fields["content"];
  this.additional_kwargs = fields["additional_kwargs"];
  this.response_metadata = fields["response_metadata"];
  this.lc_direct_tool_output = true;
  this.type = "tool";
  this.status = fields["status"];
  this.tool_call_id = fields["tool_call_id"];
  this.metadata = fields["metadata"];
  this.artifact = fields["artifact"];
}

/** Messages of every kind, to try a constructor with: each with what it leaves out and what it has. */
const TRIALS: readonly Fields[] = [
  { content: "" },
  {
    content: [{ type: "text", text: "a" }],
    id: "b",
    name: "c",
    additional_kwargs: { d: 1 },
    response_metadata: { e: 2 },
    tool_calls: [{ name: "f", args: {}, id: "g", type: "tool_call" }],
    invalid_tool_calls: [{ name: "h", args: "{", id: "i", error: "j" }],
    usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    tool_call_id: "k",
    status: "success",
    metadata: { l: 3 },
    artifact: { m: 4 },
  },
];

/** Messages before the first that is made here: trying takes as long as a hundred of them, and most threads are short. */
const WARM_UP = 200;

/**
 * Makes messages of keyword arguments that are complete. No constructor of LangChain's reads them: it would
 * parse what was parsed, and bring content and calls into line that a program has put apart since.
 *
 * Those that are stored most are made without a constructor of LangChain's, which take four times as long
 * as parsing the text of a message (2.3 us and 0.6), and a thread of 10,000 turns is 20,000 of them. So
 * objects of the same classes are made with the same properties.
 * Before the first of a class, some are made both ways: where they differ, as those of another version of
 * LangChain may, the constructors of the classes make them all.
 */
export class MessageMaker {
  /** Null for what the class has to make. */
  readonly #made = new Map<MessageKind, MakeMessage | null>();
  #until: number;

  /** @param warmUp - messages that the classes make before any is made here */
  constructor(warmUp = WARM_UP) {
    this.#until = warmUp;
  }

  /** @param given - keyword arguments, which become those of the message */
  make(kind: MessageKind, given: Fields): BaseMessage {
    const make = this.of(kind);
    if (make !== undefined) return new make(given);
    const message = blankMessage(kind);
    for (const field of kind.fields) (message as unknown as Fields)[field] = given[field];
    message.lc_kwargs = given;
    return message;
  }

  /** Undefined where the class has to do it. */
  of(kind: MessageKind): MakeMessage | undefined {
    if (this.#until > 0) {
      this.#until -= 1;
      return undefined;
    }
    let make = this.#made.get(kind);
    if (make === undefined) {
      make = makerOf(kind) ?? null;
      this.#made.set(kind, make);
    }
    return make ?? undefined;
  }
}

function makerOf(kind: MessageKind): MakeMessage | undefined {
  if (kind.tag === "human" || kind.tag === "system") return tried(kind, plain(kind.tag));
  if (kind.tag === "ai") return tried(kind, ai);
  return kind.tag === "tool" ? tried(kind, tool) : undefined;
}

/** A constructor of ours for a class, if it makes what that of the class makes. */
export function tried(
  kind: MessageKind,
  constructor: (this: never, fields: Fields) => void,
): MakeMessage | undefined {
  constructor.prototype = kind.made.prototype as object;
  const ours = constructor as unknown as MakeMessage;
  const isSame = TRIALS.every((fields) => {
    const told = toldBy(ours, completed(kind, fields));
    return told !== undefined && told === toldBy(kind.made, { ...fields });
  });
  return isSame ? ours : undefined;
}

function completed(kind: MessageKind, fields: Fields): Fields {
  const names = argumentsOf(kind, Object.keys(fields));
  return Object.fromEntries(names.map((name) => [name, name in fields ? fields[name] : emptyOf(name)]));
}

/** All that a message has; undefined where it cannot be made. Its methods are not asked: that takes 10 ms when they are first called. */
function toldBy(make: MakeMessage, fields: Fields): string | undefined {
  try {
    const message = new make(fields);
    const own = Reflect.ownKeys(message).map((key) => [
      String(key),
      Object.getOwnPropertyDescriptor(message, key),
    ]);
    return JSON.stringify(own);
  } catch {
    return undefined;
  }
}
