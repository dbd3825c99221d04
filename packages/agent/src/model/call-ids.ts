import type { MessageContent } from "@langchain/core/messages";
import type { InvalidToolCall, ToolCall } from "@langchain/core/messages/tool";

/** The calls of a reply, and the blocks of its content that say the same. */
export interface NamedCalls {
  readonly calls: ToolCall[];
  readonly invalid: InvalidToolCall[];
  readonly content: MessageContent;
  /** Whether anything is other than it was. */
  readonly changed: boolean;
}

export interface UnnamedCalls {
  readonly calls: readonly ToolCall[];
  readonly invalid: readonly InvalidToolCall[];
  readonly content: MessageContent;
  /**
   * What blocks are that name no call of `calls`. LangChain makes a call of every one where content is in its
   * standard form ("v1"), so there they become calls, or go. Other forms are for the provider to read.
   */
  readonly unlisted: "calls" | "dropped" | "kept";
}

/**
 * A reply's calls with ids that differ within it (E1), in its calls and in its content alike: a block whose id
 * is another one's is a second call to LangChain when the message is made again, and runs its tool twice.
 */
export function withCallIds({ calls, invalid, content, unlisted }: UnnamedCalls): NamedCalls {
  const set = recoverCalls(invalid);
  const given = [...calls, ...set.calls];
  const places = placesOf(Array.isArray(content) ? content : [], given);
  if (unlisted === "calls")
    for (const [block, place] of places)
      if (isUnlisted(block, place)) places.set(block, given.push(callOf(block)) - 1);
  const named = withIds(given) ?? given;
  const said = withIdsOf(content, named, places, unlisted === "dropped");
  const changed = named !== given || given.length !== calls.length || said !== content;
  return { calls: named, invalid: set.invalid, content: said, changed };
}

/** Local servers stream calls with an empty id, or null. */
const isNamed = (id: unknown): boolean => id !== undefined && id !== null && id !== "";

/**
 * Calls that LangChain set aside for want of an id only, as it does with what was streamed; their
 * arguments are well-formed.
 */
function recoverCalls(set: readonly InvalidToolCall[]): { calls: ToolCall[]; invalid: InvalidToolCall[] } {
  const calls: ToolCall[] = [];
  const invalid: InvalidToolCall[] = [];
  for (const call of set) {
    const isWhole = typeof call.name === "string" && !isNamed(call.id);
    const args = isWhole ? parseArgs(call.args) : undefined;
    if (args === undefined) invalid.push(call);
    else calls.push({ type: "tool_call", name: call.name as string, args });
  }
  return { calls, invalid };
}

function parseArgs(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const args: unknown = JSON.parse(text ?? "");
    if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
    return args as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** The calls with ids where one was missing or repeated, or undefined when none was. */
function withIds(calls: readonly ToolCall[]): ToolCall[] | undefined {
  const seen = new Set<string>();
  let changed = false;
  const result = calls.map((call) => {
    const good = isNamed(call.id) && !seen.has(call.id as string);
    const id = good ? (call.id as string) : `call_${crypto.randomUUID()}`;
    seen.add(id);
    if (good) return call;
    changed = true;
    return { ...call, id };
  });
  return changed ? result : undefined;
}

type Block = Exclude<MessageContent, string>[number];
interface CallBlock {
  readonly type: string;
  readonly id?: string | undefined;
  readonly name?: unknown;
  readonly args?: unknown;
}

/** For every block of a call the place of the call among the given ones, -1 for none. */
function placesOf(content: readonly Block[], given: readonly ToolCall[]): Map<Block, number> {
  const taken = new Set<number>();
  const places = new Map<Block, number>();
  for (const block of content) {
    if (!isCallBlock(block)) continue;
    const { id, name } = block as unknown as CallBlock;
    const place = given.findIndex(
      (call, at) =>
        !taken.has(at) && call.name === name && (call.id === id || !(isNamed(call.id) || isNamed(id))),
    );
    taken.add(place);
    places.set(block, place);
  }
  return places;
}

/** Anthropic's `tool_use` says the same; its package sends the block. */
const isCallBlock = ({ type }: Block): boolean => type === "tool_call" || type === "tool_use";

const isUnlisted = (block: Block, place: number | undefined): boolean =>
  block.type === "tool_call" && place === -1;

function callOf(block: Block): ToolCall {
  const { id, name, args } = block as unknown as CallBlock;
  return {
    type: "tool_call",
    name: String(name),
    args: (args ?? {}) as Record<string, unknown>,
    ...(id === undefined ? {} : { id }),
  };
}

/** The content with the ids that the calls got; the same where none is other. */
function withIdsOf(
  content: MessageContent,
  named: readonly ToolCall[],
  places: ReadonlyMap<Block, number>,
  dropsUnlisted: boolean,
): MessageContent {
  if (!Array.isArray(content) || places.size === 0) return content;
  let changed = false;
  const blocks = content.flatMap((block) => {
    const place = places.get(block);
    const call = named[place ?? -1];
    const drops = dropsUnlisted && isUnlisted(block, place);
    if (!drops && (call === undefined || call.id === (block as { id?: unknown }).id)) return [block];
    changed = true;
    return drops ? [] : [{ ...block, id: call?.id } as Block];
  });
  return changed ? blocks : content;
}
