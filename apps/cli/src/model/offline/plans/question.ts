import { topSentences } from "../extract.ts";
import { readHits, readPage, type Hit } from "../results.ts";
import { answer, call, readFile, results, searchFiles, type Planner } from "./move.ts";

/** Anything else: search its words, read where most of them meet, quote what fits best. */
export const question: Planner<{ readonly keywords: readonly string[] }> = ({ keywords }, conversation) => {
  if (keywords.length === 0) return answer("Ask me about the files of this folder, or say `help`.");
  const searched = results(conversation, "search_files");
  if (conversation.rounds.length === 0) {
    return call(...keywords.map((query) => searchFiles({ query, limit: 30 })));
  }
  const places = bestPlaces(searched.map((step) => readHits(step.result)));
  if (places.length === 0) {
    return answer(
      `I searched the folder for ${keywords.map((word) => `"${word}"`).join(", ")} and found nothing.`,
    );
  }
  if (conversation.rounds.length === 1) {
    return call(
      ...places
        .slice(0, 2)
        .map(({ path, line }) => readFile({ path, offset: Math.max(1, line - 10), limit: 40 })),
    );
  }
  const quotes = results(conversation, "read_file").flatMap((step) => {
    const page = readPage(step.result);
    if (!page) return [];
    return sentencesWith(page.lines.join("\n"), keywords).map((sentence) => `- ${sentence} (${page.path})`);
  });
  const found = places.slice(0, 6).map((hit) => `- ${hit.path}:${hit.line}  ${hit.text.slice(0, 140)}`);
  const lead = quotes.length > 0 ? ["What the files say:", ...quotes.slice(0, 4), ""] : [];
  return answer(
    [...lead, `Where ${keywords.join(", ")} ${keywords.length > 1 ? "appear" : "appears"}:`, ...found].join(
      "\n",
    ),
  );
};

/** Prose says more than code, and code more than what machines wrote. */
function weight(path: string): number {
  if (/lock|\.min\./.test(path)) return -5;
  return /\.(md|txt|rst)$/.test(path) ? 1 : 0;
}

/** One place a file; files in which more of the words appear come first. */
function bestPlaces(hitsOfWords: readonly (readonly Hit[])[]): Hit[] {
  const files = new Map<string, { first: Hit; words: Set<number>; hits: number }>();
  hitsOfWords.forEach((hits, word) => {
    for (const hit of hits) {
      const file = files.get(hit.path) ?? { first: hit, words: new Set<number>(), hits: 0 };
      file.words.add(word);
      file.hits += 1;
      files.set(hit.path, file);
    }
  });
  return [...files.values()]
    .sort(
      (a, b) => b.words.size - a.words.size || weight(b.first.path) - weight(a.first.path) || b.hits - a.hits,
    )
    .map(({ first }) => first);
}

function sentencesWith(text: string, words: readonly string[]): string[] {
  const matching = text
    .split("\n")
    .map((line) => line.replace(/^\s*([-*>#|/]+|\d+\.)\s*/, ""))
    .filter((line) => words.some((word) => line.toLowerCase().includes(word.toLowerCase())));
  return topSentences(matching.join("\n\n"), 3);
}
