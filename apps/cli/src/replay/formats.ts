import { fromAnthropic, fromGrouped, fromOpenAI, fromRecorded, type RecordedThread } from "@skein/context";
import { BadInput, oneLine } from "../errors.ts";

/** How the messages of a recorded conversation are written. */
export type ConversationFormat = "recorded" | "openai" | "anthropic" | "grouped";

type Json = Readonly<Record<string, unknown>>;

/** What a line has to be, to be read so. */
export const SHAPES: Readonly<Record<ConversationFormat, string>> = {
  recorded:
    '{"id", "messages": [{"role", "content", "tool_calls"?: [{"id", "name", "args"}], "tool_call_id"?}]}',
  openai: '{"id"?, "messages": [...]} as OpenAI\'s chat completions take them',
  anthropic: '{"id"?, "system"?, "messages": [...]} as Anthropic\'s messages take them',
  grouped:
    '{"id"?, "messages": [{"role", "content", "tool_calls"?, "tool_results"?: [{"tool_call_id", "content"}]}]}',
};

/**
 * One conversation of a file.
 *
 * @param of - `line`: its number; `name`: its id if it has none, which only the recorded format asks
 *   for; `format`: how it is written. Default: what its messages look like
 * @throws BadInput that says what the line must be
 */
export function readConversation(
  text: string,
  of: { readonly line: number; readonly name: string; readonly format: ConversationFormat | undefined },
): RecordedThread {
  const { line, name, format: asked } = of;
  const value = parsed(text);
  if (Array.isArray(value)) throw new BadInput(`Line ${line} ${BARE_LIST}`);
  const record = isObject(value) ? value : undefined;
  const format = asked ?? formatOf(record);
  try {
    if (format === "recorded") return fromRecorded(text, { line });
    const { id = name, messages, ...extra } = record ?? {};
    if (typeof id !== "string" && typeof id !== "number") throw new BadInput("id must be a string.");
    if (format !== "anthropic" && extra["system"] !== undefined)
      throw new BadInput('A "system" beside the messages is Anthropic\'s: --format anthropic reads it.');
    return { id: String(id), messages: read(format, messages, extra), extra };
  } catch (error) {
    const hint =
      asked === undefined && format !== "recorded" ? " Or say with --format how it is written." : "";
    throw new BadInput(`${oneLine(error)} Give one ${SHAPES[format]} a line.${hint}`, { cause: error });
  }
}

function read(
  format: Exclude<ConversationFormat, "recorded">,
  messages: unknown,
  { system }: Json,
): RecordedThread["messages"] {
  if (format === "openai") return fromOpenAI(messages);
  return format === "grouped" ? fromGrouped(messages) : fromAnthropic({ system, messages });
}

/** What is said of a list of messages that stands by itself. */
export const BARE_LIST =
  'is a list by itself. A conversation is an object with its messages in it: {"id": "a name", "messages": [...]}, one a line.';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // who reads the line says what is wrong with it
    return undefined;
  }
}

/** Each format but the recorded one has something that no other has. */
function formatOf(record: Json | undefined): ConversationFormat {
  const messages = (Array.isArray(record?.["messages"]) ? record["messages"] : []).filter(isObject);
  if (messages.some(({ tool_results }) => tool_results !== undefined)) return "grouped";
  const calls = messages.flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []));
  if (calls.some((call) => isObject(call) && isObject(call["function"]))) return "openai";
  if (messages.some(({ role, function_call: call }) => role === "function" || isObject(call)))
    return "openai";
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(isObject);
  if (record?.["system"] !== undefined || blocks.some(({ type }) => ANTHROPICS.has(type))) return "anthropic";
  return blocks.length > 0 || messages.some(({ role }) => role === "developer") ? "openai" : "recorded";
}

const ANTHROPICS: ReadonlySet<unknown> = new Set(["tool_use", "tool_result", "image", "thinking"]);

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
