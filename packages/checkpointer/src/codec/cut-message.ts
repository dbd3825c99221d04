import { kindOfTag, type MessageKind } from "./message-kinds.ts";

/** The parts of a message's text. */
export interface CutMessage {
  readonly kind: MessageKind;
  /** Which of the two stands first. */
  readonly first: "id" | "content";
  readonly id: string | undefined;
  readonly content: string;
  /** Where its other fields begin: at a comma, or at the brace behind which nothing comes. */
  readonly end: number;
}

/** Shorter texts are parsed in the time that cutting them takes. */
const SHORTEST = 200;
/** Where the tag begins. */
const TAG_AT = 6;
const QUOTE = '"';
const ID = ',"id":"';
const CONTENT = ',"content":"';
/** What most messages of a history have behind their content: the time when they came. */
const STAMPED = ',"additional_kwargs":{"timestamp":';

const startOf = (tag: string): { readonly kind: MessageKind; readonly start: string } => ({
  kind: kindOfTag(tag) as MessageKind,
  start: `{"$":"${tag}"`,
});
const HUMAN = startOf("human");
const AI = startOf("ai");
const CODE = { a: 97, h: 104, 0: 48 } as const;
/** All numbers of so many digits are exact. */
const MOST_DIGITS = 15;

/**
 * Cuts a text that begins with an id and a content which JSON writes as they are, as most messages of chats do.
 * Parsing looks at each character and copies it, which is a third of what reading a long thread takes. What is
 * cut out stays where it is, so a message keeps its text in memory, or that of the page of items it was read with.
 */
export function cutMessage(text: string): CutMessage | undefined {
  if (text.length < SHORTEST) return undefined;
  const letter = text.charCodeAt(TAG_AT);
  const found = letter === CODE.h ? HUMAN : letter === CODE.a ? AI : undefined;
  if (found === undefined || !text.startsWith(found.start) || text.indexOf("\\") >= 0) return undefined;
  const { kind, start } = found;
  return text.startsWith(ID, start.length)
    ? idFirst(kind, text, start.length + ID.length)
    : contentFirst(kind, text, start.length);
}

function idFirst(kind: MessageKind, text: string, idAt: number): CutMessage | undefined {
  const idEnd = text.indexOf(QUOTE, idAt);
  if (!text.startsWith(CONTENT, idEnd + 1)) return undefined;
  const contentAt = idEnd + 1 + CONTENT.length;
  const contentEnd = text.indexOf(QUOTE, contentAt);
  if (contentEnd < 0) return undefined;
  const [id, content] = [text.slice(idAt, idEnd), text.slice(contentAt, contentEnd)];
  return { kind, first: "id", id, content, end: contentEnd + 1 };
}

function contentFirst(kind: MessageKind, text: string, at: number): CutMessage | undefined {
  if (!text.startsWith(CONTENT, at)) return undefined;
  const contentEnd = text.indexOf(QUOTE, at + CONTENT.length);
  if (contentEnd < 0) return undefined;
  const content = text.slice(at + CONTENT.length, contentEnd);
  const end = contentEnd + 1;
  if (!text.startsWith(ID, end)) return { kind, first: "content", id: undefined, content, end };
  const idAt = end + ID.length;
  const idEnd = text.indexOf(QUOTE, idAt);
  if (idEnd < 0) return undefined;
  return { kind, first: "content", id: text.slice(idAt, idEnd), content, end: idEnd + 1 };
}

/** The only other field, where it is that time and nothing else. */
export function stampOf(text: string, end: number): number | undefined {
  if (!text.startsWith(STAMPED, end)) return undefined;
  const [from, to] = [end + STAMPED.length, text.length - 2];
  if (to <= from || to - from > MOST_DIGITS || !text.startsWith("}}", to)) return undefined;
  let time = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - CODE[0];
    // JSON begins no number with a 0
    if (digit < 0 || digit > 9 || time + digit === 0) return undefined;
    time = time * 10 + digit;
  }
  return time;
}
