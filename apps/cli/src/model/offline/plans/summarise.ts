import type { Conversation } from "../conversation.ts";
import { beginning, summarise as extract } from "../extract.ts";
import { findLastPath } from "../intent.ts";
import { readListing, readPage, type Page } from "../results.ts";
import {
  answer,
  call,
  failures,
  listFiles,
  plural,
  readFile,
  results,
  type Move,
  type Planner,
} from "./move.ts";

const PAGE_LINES = 400;
const MAX_PAGES = 4;
/** What is shown of a file as it stands. */
const MAX_SHOWN = 40;

interface Wanted {
  readonly path: string | undefined;
  readonly verbatim: boolean;
}

/** Read the file (finding it first, if need be) and show it, or give an account in its own words. */
export const summarise: Planner<Wanted> = ({ path, verbatim }, conversation) => {
  const target = path ?? lastMentioned(conversation);
  if (target === undefined) return answer("Which file? For example: summarise README.md");
  const pages = results(conversation, "read_file").flatMap((step) => readPage(step.result) ?? []);
  const last = pages.at(-1);
  if (last) {
    const enough = verbatim || pages.length >= MAX_PAGES;
    if (last.next !== undefined && !enough) {
      return call(readFile({ path: last.path, offset: last.next, limit: PAGE_LINES }));
    }
    return answer(account(pages, verbatim));
  }
  switch (conversation.rounds.length) {
    case 0:
      return call(readFile({ path: target, limit: PAGE_LINES }));
    case 1:
      return readFailed(target, conversation);
    case 2:
      return readFound(target, conversation);
    default:
      return answer(
        `I could not read "${target}": ${failures(conversation).at(-1)?.result ?? "no text came back"}`,
      );
  }
};

function lastMentioned(conversation: Conversation): string | undefined {
  for (const { text } of conversation.earlier.toReversed()) {
    const path = findLastPath(text);
    if (path) return path;
  }
  return undefined;
}

function readFailed(target: string, conversation: Conversation): Move {
  const failure = failures(conversation)[0];
  if (!failure) return answer(results(conversation, "read_file")[0]?.result ?? `"${target}" has no text.`);
  if (/is a folder/.test(failure.result)) return call(listFiles({ path: target }));
  if (/There is no/.test(failure.result)) {
    const name = (target.split("/").at(-1) ?? target).replace(/[^\p{L}\p{N}_.-]/gu, "");
    return call(listFiles({ pattern: `**/*${name || "*"}*`, limit: 50 }));
  }
  return answer(`I could not read "${target}": ${failure.result}`);
}

/** After a listing: a folder gets its README read or is described; a near name is read instead. */
function readFound(target: string, conversation: Conversation): Move {
  const { files, total } = readListing(results(conversation, "list_files")[0]?.result ?? "");
  const isFolder = failures(conversation).some((step) => /is a folder/.test(step.result));
  if (files.length === 0)
    return answer(`There is no "${target}" in this folder, and no file with a similar name.`);
  const chosen = isFolder
    ? files.find((file) => /(^|\/)(readme|index)\b/i.test(file.path))
    : [...files].sort((a, b) => a.path.length - b.path.length)[0];
  if (chosen) return call(readFile({ path: chosen.path, limit: PAGE_LINES }));
  const names = files.slice(0, 20).map((file) => `- ${file.path} (${file.bytes} B)`);
  return answer([`${target} holds ${plural(total, "file")}:`, ...names].join("\n"));
}

function account(pages: readonly Page[], verbatim: boolean): string {
  const { path, of } = pages[0] as Page;
  const lines = pages.flatMap((page) => page.lines);
  if (verbatim) return [`${path} (${plural(of, "line")}):`, beginning(lines, MAX_SHOWN, of)].join("\n");
  const read = lines.length < of ? `, of which I read ${lines.length}` : "";
  return [`${path} (${plural(of, "line")}${read}):`, extract(path, lines)].join("\n");
}
