import { keywords } from "./intent.ts";

/**
 * A short account of a text in its own words: an outline, then the sentences that weigh most; its first lines
 * where it has neither.
 */
export function summarise(path: string, lines: readonly string[], sentences = 4): string {
  return outlined(path, lines, sentences) || beginning(lines, sentences, lines.length);
}

/** The first of `total` lines as they stand, long ones cut. */
export function beginning(lines: readonly string[], count: number, total: number): string {
  const shown = lines
    .slice(0, count)
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} ...` : line));
  const more = total - shown.length;
  return [...shown, ...(more > 0 ? [`... (${more} more)`] : [])].join("\n");
}

const MAX_LINE = 300;

function outlined(path: string, lines: readonly string[], sentences: number): string {
  if (/\.(md|mdx|markdown|rst|txt|adoc)$|^[A-Z]+$/i.test(baseName(path)) && !/\.json$/i.test(path)) {
    return summariseProse(lines, sentences);
  }
  if (/\.jsonc?$/i.test(path)) return summariseJson(lines);
  const code = summariseCode(lines);
  return code === "" ? summariseProse(lines, sentences) : code;
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}

function summariseProse(lines: readonly string[], count: number): string {
  const headings = lines.flatMap((line) => /^#{1,3} +(.+)$/.exec(line)?.[1] ?? []);
  const chosen = topSentences(proseOf(lines), count);
  const outline = headings.length > 1 ? `Sections: ${headings.slice(0, 10).join(" · ")}` : "";
  return [outline, ...chosen.map((sentence) => `- ${sentence}`)].filter(Boolean).join("\n");
}

/** Paragraph text without code blocks, tables, headings and list marks. */
function proseOf(lines: readonly string[]): string {
  let fenced = false;
  const kept: string[] = [];
  for (const line of lines) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    else if (!fenced && !/^\s*([#|]|-{3,}|={3,})/.test(line))
      kept.push(line.replace(/^\s*([-*>]|\d+\.)\s+/, ""));
    if (line.trim() === "") kept.push("\n\n");
  }
  return kept.join(" ");
}

/** The first sentences say what a text is about: what each of them counts more. */
const FIRST_COUNT = [2, 1.3, 1.3];

/** The sentences with the most frequent words, in the order of the text. */
export function topSentences(text: string, count: number): string[] {
  const sentences = text
    .split(/\n{2,}|(?<=[.!?。！？])\s+(?=[\p{Lu}\p{Lo}*`"[])/u)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence.length >= 25);
  const weight = new Map<string, number>();
  const wordsOf = sentences.map((sentence) => new Set(keywords(sentence.toLowerCase())));
  for (const words of wordsOf) for (const word of words) weight.set(word, (weight.get(word) ?? 0) + 1);
  const scored = sentences.map((sentence, index) => {
    const words = [...(wordsOf[index] ?? [])];
    const sum = words.reduce((total, word) => total + (weight.get(word) ?? 0), 0);
    // very long sentences win by length alone
    return {
      sentence,
      index,
      score: (sum / Math.sqrt(words.length + 4)) * (FIRST_COUNT[index] ?? 1),
    };
  });
  return scored
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, count)
    .sort((a, b) => a.index - b.index)
    .map(({ sentence }) => (sentence.length > MAX_LINE ? `${sentence.slice(0, MAX_LINE)} ...` : sentence));
}

const DECLARATION =
  /^\s*(?:(?:pub|public|export|default|async|abstract|static|declare)\s+)*(class|interface|type|enum|function\*?|const|def|fn|func|struct|trait|impl|module)\s+([\w$]+)/;

function summariseCode(lines: readonly string[]): string {
  const names = new Map<string, string[]>();
  for (const line of lines) {
    if (/^\s{5,}/.test(line)) continue;
    const [, kind = "", name = ""] = DECLARATION.exec(line) ?? [];
    const isConstant = kind === "const" && !line.startsWith("export");
    if (name && !isConstant) names.set(kind, [...(names.get(kind) ?? []), name]);
  }
  if (names.size === 0) return "";
  const about = topSentences(commentsOf(lines), 3);
  const imports = lines.flatMap(
    (line) => /^(?:import|from|use|require)\b.*?["']([^"']+)["']/.exec(line)?.[1] ?? [],
  );
  const declared = [...names].map(
    ([kind, list]) => `- ${kind}: ${[...new Set(list)].slice(0, 12).join(", ")}`,
  );
  return [
    ...about.map((sentence) => `- ${sentence}`),
    "Declares:",
    ...declared,
    ...(imports.length > 0 ? [`Uses: ${[...new Set(imports)].slice(0, 10).join(", ")}`] : []),
  ].join("\n");
}

/** Comment text, one paragraph a comment. */
function commentsOf(lines: readonly string[]): string {
  const kept: string[] = [];
  for (const line of lines) {
    const text = /^\s*(?:\/\*\*?|\*(?!\/)|\/\/|#(?!!))\s?(.*?)(?:\*\/)?\s*$/.exec(line)?.[1];
    kept.push(text === undefined || text.startsWith("@") ? "\n\n" : text);
  }
  return kept.join(" ").replace(/(\n\n ?)+/g, "\n\n");
}

function summariseJson(lines: readonly string[]): string {
  try {
    const value: unknown = JSON.parse(lines.join("\n"));
    if (Array.isArray(value)) return `- a list of ${value.length} elements`;
    return Object.entries(value as Record<string, unknown>)
      .slice(0, 15)
      .map(([key, inner]) => `- ${key}: ${describeJson(inner)}`)
      .join("\n");
  } catch {
    return `- ${lines.length} lines of JSON, of which only a part was read`;
  }
}

function describeJson(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} elements`;
  if (typeof value === "object" && value !== null)
    return Object.keys(value).slice(0, 8).join(", ") || "empty";
  return String(value).slice(0, 80);
}
