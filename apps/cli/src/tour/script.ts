import { displayPath, findFiles, type Folder } from "../tools/folder.ts";
import { readText } from "../tools/read-file.ts";

/** What somebody who gets to know a folder asks, one question after the other, without end. */
export interface Script {
  question(turn: number): string;
}

const MOST_FILES = 80;
const DECLARED = /(?:class|interface|type|enum|function|const|def|fn|func|struct)\s+([A-Za-z_]\w{3,})/g;
const READABLE =
  /\.(md|txt|rst|ts|tsx|js|mjs|jsx|py|go|rs|java|rb|c|h|cpp|cs|json|ya?ml|toml|sh|html|css)$|^[^.]+$/i;

/** Questions that come back, whatever the files are. */
function regular(turn: number): string | undefined {
  if (turn === 0) return "Explore the folder.";
  if (turn % 15 === 1) return "What changed lately?";
  return turn % 25 === 12 ? "What did I ask so far?" : undefined;
}

/** Questions follow from the files: their names, what they declare, what their headings speak of. */
export async function writeScript(folder: Folder): Promise<Script> {
  const all = (await findFiles(folder, ".")).filter((file) => READABLE.test(file) && !/lock\./.test(file));
  const step = Math.max(1, Math.ceil(all.length / MOST_FILES));
  const questions: string[] = [];
  for (let index = 0; index < all.length; index += step) {
    questions.push(...(await questionsAbout(folder, all[index] as string)));
  }
  return {
    question: (turn) =>
      regular(turn) ?? questions[turn % Math.max(1, questions.length)] ?? "Explore the folder.",
  };
}

async function questionsAbout(folder: Folder, file: string): Promise<string[]> {
  const path = displayPath(folder, file);
  const text = await readText(file, path).catch(() => "");
  const questions = [`Summarise ${path}`];
  const names = [...new Set([...text.matchAll(DECLARED)].map((match) => match[1] ?? ""))];
  const name = names.sort((a, b) => b.length - a.length)[0];
  if (name) questions.push(`Where is ${name} defined?`);
  const heading = /^#{2,3} +([\w ,'-]{6,60})$/m.exec(text)?.[1];
  if (heading) questions.push(`How about ${heading.trim()}?`);
  if (questions.length === 1) questions.push(`What changed in ${path}?`);
  return questions;
}
