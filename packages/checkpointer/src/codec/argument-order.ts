import type { MessageKind } from "./message-kinds.ts";

/**
 * In which order the keyword arguments of a message stand: `JSON.stringify` and LangChain's own
 * serialization show it, and the constructor completes them, so it depends on how a message was made.
 *
 * Stored text says it by the order of its own fields wherever the rules of `argumentsOf` lead back to what
 * was there. Only else it is written out, as `k`: a letter for each argument, or [letters, name, ...] with a
 * star for each name that has no letter.
 */
export type Argument = string;

/** What was null or undefined when the message was made, and the metadata without what `contentBlocks` add to it. */
export const NULL_CONTENT: Argument = "content: null";
export const NO_CONTENT: Argument = "content: undefined";
export const NO_BLOCKS: Argument = "contentBlocks: undefined";
export const UNVERSIONED: Argument = "response_metadata without output_version";

/** Arguments that are fields of the stored text, whether the message has a property of that name or not. */
const FIELDS = {
  content: "c",
  id: "i",
  name: "n",
  additional_kwargs: "a",
  response_metadata: "r",
  tool_calls: "t",
  invalid_tool_calls: "v",
  tool_call_chunks: "k",
  usage_metadata: "u",
  tool_call_id: "l",
  status: "s",
  artifact: "f",
  metadata: "d",
  role: "o",
} as const;

/** Stored: a letter keeps its meaning. */
const LETTERS: ReadonlyMap<Argument, string> = new Map([
  ...Object.entries(FIELDS),
  ["type", "y"],
  ["contentBlocks", "b"],
  [NULL_CONTENT, "0"],
  [NO_CONTENT, "-"],
  [NO_BLOCKS, "B"],
  [UNVERSIONED, "R"],
]);
const STAR = "*";
const NAMES: ReadonlyMap<string, Argument> = new Map([...LETTERS].map(([name, letter]) => [letter, name]));

export const isField = (name: string): boolean => Object.hasOwn(FIELDS, name);

const LISTS: ReadonlySet<Argument> = new Set(["tool_calls", "invalid_tool_calls", "tool_call_chunks"]);

/** What a constructor completes an argument with. */
export const emptyOf = (name: Argument): object => (LISTS.has(name) ? [] : {});

/**
 * The arguments that the fields of a text stand for. Each stands where its field stands; what a constructor
 * completes and is empty has no field, and follows from how messages are made:
 *
 * - by a constructor: what it completes comes last, additional arguments among it, because those that come
 *   last are as a rule those that a thread adds, the time
 * - without an id, which they get later: the id comes after that. Then its field comes first
 * - by joining chunks: in an order of their own, which begins behind the content
 */
export function argumentsOf(kind: MessageKind, fields: readonly string[]): Argument[] {
  const { completed, joined } = kind;
  if (joined !== undefined) {
    const ordered = placed(fields, fields.includes("content") ? ["content", ...joined] : joined);
    return [...ordered, ...completed.filter((name) => !ordered.includes(name))];
  }
  if (fields[0] === "id" && kind.tag !== "remove") return [...placed(fields.slice(1), completed), "id"];
  const given = fields.at(-1) === "additional_kwargs" ? fields.slice(0, -1) : fields;
  return [...given, ...completed.filter((name) => !given.includes(name))];
}

/** Names with those of a row that are missing: each behind the one before it, before the first where there is none. */
function placed(names: readonly string[], row: readonly string[]): string[] {
  const all = [...names];
  const first = names.findIndex((name) => row.includes(name));
  let at = first < 0 ? all.length : first;
  for (const name of row) {
    const there = all.indexOf(name);
    if (there < 0) all.splice(at, 0, name);
    at = (there < 0 ? at : there) + 1;
  }
  return all;
}

/** How the order of arguments is stored. */
export interface StoredOrder {
  /** The fields, in the order in which they are written. */
  readonly fields: readonly string[];
  /** Text behind them; empty where the order of the fields says it all. */
  readonly tail: string;
}

/**
 * @param stored - the fields that have a value, in any order
 * @param others - arguments that are stored behind the fields
 */
export function storedOrder(
  kind: MessageKind,
  ordered: readonly Argument[],
  stored: readonly string[],
  others: readonly string[] = [],
): StoredOrder {
  const fields = ordered.filter((name) => stored.includes(name));
  if (fields.length === stored.length) {
    const idFirst = ["id", ...fields.filter((name) => name !== "id")];
    for (const tried of fields.includes("id") ? [fields, idFirst] : [fields]) {
      if (isSame(argumentsOf(kind, [...tried, ...others]), ordered)) return { fields: tried, tail: "" };
    }
  }
  return { fields: stored, tail: `,"k":${JSON.stringify(lettersOf(ordered))}` };
}

function lettersOf(ordered: readonly Argument[]): unknown {
  const letters = ordered.map((name) => LETTERS.get(name) ?? STAR).join("");
  const names = ordered.filter((name) => !LETTERS.has(name));
  return names.length === 0 ? letters : [letters, ...names];
}

/** The arguments of an order that was written out. What a newer version may have added is left out. */
export function writtenOrder(written: unknown): Argument[] {
  const [letters, ...names] = Array.isArray(written) ? (written as unknown[]) : [written];
  const found = [...String(letters)].map((letter) => (letter === STAR ? names.shift() : NAMES.get(letter)));
  return found.filter((name) => typeof name === "string");
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at]);
}
