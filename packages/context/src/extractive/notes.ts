import { sentencesOf, shorten } from "./sentences.ts";

/** How often a tool was called and what came of it last. */
export interface ToolNote {
  readonly calls: number;
  readonly failed: number;
  readonly last: string;
}

/** What an extractive summary holds: lists in the order of the conversation. It prints to text and is read back from it. */
export interface Notes {
  readonly requests: readonly string[];
  readonly answers: readonly string[];
  readonly facts: readonly string[];
  readonly tools: ReadonlyMap<string, ToolNote>;
  /** Of a summary that something else wrote, and of system messages. */
  readonly other: readonly string[];
}

export const EMPTY_NOTES: Notes = { requests: [], answers: [], facts: [], tools: new Map(), other: [] };

const HEADINGS = {
  requests: "Asked:",
  answers: "Answered:",
  facts: "Facts:",
  tools: "Tools:",
  other: "Noted:",
} as const;
export type Section = keyof typeof HEADINGS;

const SECTIONS = Object.keys(HEADINGS) as Section[];
const TOOL_LINE = /^(?<name>.+?): (?<calls>\d+) calls?(?:, (?<failed>\d+) failed)?(?:; last: (?<last>.*))?$/u;

function toolLine(name: string, { calls, failed, last }: ToolNote): string {
  const failures = failed > 0 ? `, ${failed} failed` : "";
  return `${name}: ${calls} call${calls === 1 ? "" : "s"}${failures}${last === "" ? "" : `; last: ${last}`}`;
}

/** The lines of a section, without heading and bullets. */
export function linesOf(notes: Notes, section: Section): string[] {
  if (section === "tools") return [...notes.tools].map(([name, note]) => toolLine(name, note));
  return [...notes[section]];
}

/** Prints sections that have lines. */
export function printNotes(lines: Readonly<Record<Section, readonly string[]>>): string {
  return SECTIONS.filter((section) => lines[section].length > 0)
    .map((section) => [HEADINGS[section], ...lines[section].map((line) => `- ${line}`)].join("\n"))
    .join("\n");
}

/** Reads a summary back. Text that no extractive summary printed is taken over sentence by sentence. */
export function readNotes(text: string): Notes {
  const lines: Record<Section, string[]> = { requests: [], answers: [], facts: [], tools: [], other: [] };
  const foreign: string[] = [];
  let section: Section | undefined;
  for (const line of text.split("\n")) {
    const heading = SECTIONS.find((name) => HEADINGS[name] === line);
    if (heading !== undefined) section = heading;
    else if (section !== undefined && line.startsWith("- ")) lines[section].push(line.slice(2));
    else foreign.push(line);
  }
  const tools = new Map<string, ToolNote>();
  for (const line of lines.tools) {
    const match = TOOL_LINE.exec(line)?.groups;
    if (match === undefined) lines.other.push(line);
    else {
      tools.set(match["name"] ?? "", {
        calls: Number(match["calls"]),
        failed: Number(match["failed"] ?? 0),
        last: match["last"] ?? "",
      });
    }
  }
  const other = [
    ...lines.other,
    ...sentencesOf(foreign.join("\n")).map((sentence) => shorten(sentence, 240)),
  ];
  return { requests: lines.requests, answers: lines.answers, facts: lines.facts, tools, other };
}
