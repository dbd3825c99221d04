import { keywords } from "../intent.ts";
import { readHits, readListing, readPage, type Hit } from "../results.ts";
import {
  answer,
  call,
  listFiles,
  plural,
  readFile,
  results,
  searchFiles,
  type Move,
  type Planner,
} from "./move.ts";

const DEFINES = "(class|interface|type|enum|function|const|let|var|def|fn|func|struct|trait|module)";

/** Search, look at the best places, say where. */
export const where: Planner<{ readonly subject: string }> = ({ subject }, conversation) => {
  if (subject === "") return answer("What should I look for? For example: where is `createAgent`?");
  const hits = results(conversation, "search_files").flatMap((step) => readHits(step.result));
  switch (conversation.rounds.length) {
    case 0:
      return call(...firstSearches(subject));
    case 1:
      return hits.length > 0 ? lookAt(best(subject, hits)) : searchWider(subject);
    case 2:
      if (hits.length > 0 && results(conversation, "read_file").length === 0)
        return lookAt(best(subject, hits));
  }
  const named = results(conversation, "list_files").flatMap((step) => readListing(step.result).files);
  if (hits.length === 0)
    return answer(
      nothing(
        subject,
        named.map((file) => file.path),
      ),
    );
  const page = results(conversation, "read_file")
    .map((step) => readPage(step.result))
    .find(Boolean);
  return answer(report(subject, hits, page?.path, page?.from ?? 1, page?.lines ?? []));
};

function firstSearches(subject: string) {
  const searches = [searchFiles({ query: subject })];
  if (/^[\w$]+$/.test(subject)) {
    searches.push(
      searchFiles({
        query: `\\b${DEFINES}\\s+${subject.replace(/\$/g, "\\$")}\\b`,
        regex: true,
        ignoreCase: false,
      }),
    );
  } else if (/[./]/.test(subject)) {
    searches.push(listFiles({ pattern: `**/*${subject.split("/").at(-1)}*`, limit: 20 }));
  }
  return searches;
}

function searchWider(subject: string): Move {
  const words = keywords(subject).slice(0, 3);
  const searches = words.map((word) => searchFiles({ query: word, limit: 20 }));
  return call(...searches, listFiles({ pattern: `**/*${globWord(words[0] ?? subject)}*`, limit: 20 }));
}

/** Characters that mean something in a pattern are left out of it. */
function globWord(word: string): string {
  return word.replace(/[^\p{L}\p{N}_.-]/gu, "") || "*";
}

function isDefinition(subject: string, hit: Hit): boolean {
  const name = subject.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`\\b${DEFINES}\\*?\\s+${name}(?![\\w$])`).test(hit.text);
}

/** Definitions first, then sources, then the rest; tests last. */
function best(subject: string, hits: readonly Hit[]): Hit[] {
  const rank = (hit: Hit): number =>
    (isDefinition(subject, hit) ? 0 : 4) +
    (/(^|\/)tests?\/|\.test\./.test(hit.path) ? 2 : 0) +
    (/lock/.test(hit.path) ? 3 : 0);
  const unique = new Map(hits.map((hit) => [`${hit.path}:${hit.line}`, hit]));
  return [...unique.values()].sort((a, b) => rank(a) - rank(b));
}

const look = (hit: Hit) => readFile({ path: hit.path, offset: Math.max(1, hit.line - 4), limit: 14 });

function lookAt(hits: readonly Hit[]): Move {
  const [first, ...others] = hits;
  if (!first) return answer("");
  const second = others.find((hit) => hit.path !== first.path);
  return call(look(first), ...(second ? [look(second)] : []));
}

function report(
  subject: string,
  hits: readonly Hit[],
  path: string | undefined,
  from: number,
  lines: readonly string[],
): string {
  const ranked = best(subject, hits);
  const first = ranked[0];
  if (!first) return "";
  const definitions = ranked.filter((hit) => isDefinition(subject, hit));
  const places = (definitions.length > 0 ? definitions : ranked).slice(0, 5);
  const verb = definitions.length > 0 ? "is defined in" : "is mentioned in";
  const text = [
    `\`${subject}\` ${verb}:`,
    ...places.map((hit) => `- ${hit.path}:${hit.line}  ${hit.text.slice(0, 120)}`),
  ];
  if (path !== undefined && lines.length > 0) {
    text.push("", `${path} from line ${from}:`, "```", ...lines, "```");
  }
  const files = new Map<string, number>();
  for (const hit of ranked) files.set(hit.path, (files.get(hit.path) ?? 0) + 1);
  const others = [...files].filter(([name]) => !places.some((hit) => hit.path === name));
  if (others.length > 0) {
    const list = others.slice(0, 6).map(([name, count]) => `${name} (${count})`);
    text.push(
      "",
      `It also appears in ${plural(others.length, "other file")}: ${list.join(", ")}${others.length > 6 ? " ..." : ""}`,
    );
  }
  return text.join("\n");
}

function nothing(subject: string, named: readonly string[]): string {
  const files = named.length > 0 ? ` Files with such a name: ${named.slice(0, 8).join(", ")}.` : "";
  return `I searched the folder for "${subject}" and its words and found no line that holds them.${files}`;
}
