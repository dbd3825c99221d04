/** Ends of sentences: a stop before white space, a CJK stop anywhere, a line break. `3.5` and `a.ts` stay whole. */
const BOUNDARY = /(?<=[.!?…]["'”’)\]]?)\s+|(?<=[。！？；])(?![”’」』）])|(?<=[。！？；][”’」』）])|\n+/u;

const BULLET = /^(?:[-*•>#]+|\d{1,2}[.)])\s+/u;

/** The sentences of a text, white space collapsed, marks of lists and headings removed. */
export function sentencesOf(text: string): string[] {
  return text
    .split(BOUNDARY)
    .map((part) => collapse(part).replace(BULLET, ""))
    .filter((part) => part !== "");
}

export const collapse = (text: string): string => text.replace(/\s+/gu, " ").trim();

/** At most `most` characters, the cut marked with `…`, no surrogate pair torn. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const code = text.charCodeAt(most - 1);
  const end = code >= 0xdc00 && code <= 0xdfff ? most - 2 : most - 1;
  return `${text.slice(0, Math.max(0, end))}…`;
}
