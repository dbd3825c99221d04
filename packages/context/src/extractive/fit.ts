import type { TokenCounter } from "../tokens/counter.ts";
import { worthOf } from "./facts.ts";
import { linesOf, printNotes, type Notes, type Section } from "./notes.ts";
import { salience, SMALL_TALK } from "./salience.ts";
import { shorten } from "./sentences.ts";

/** The part of the budget that each section is sure of; what one leaves over the others may use, in this order. */
const SHARES: Readonly<Record<Section, number>> = {
  requests: 0.34,
  facts: 0.22,
  answers: 0.24,
  tools: 0.12,
  other: 0.08,
};
const ORDER = Object.keys(SHARES) as Section[];
const HEADING_TOKENS = 3;

interface Candidate {
  readonly section: Section;
  readonly index: number;
  readonly line: string;
  readonly tokens: number;
  readonly rank: number;
}

/** Notes as text of at most `most` tokens: the most important lines of each section, in their order. */
export function fitNotes(notes: Notes, most: number, counter: TokenCounter): string {
  const all = ORDER.map((section) => rank(notes, section, counter));
  const worthy = all.map((candidates) => candidates.filter(({ rank }) => rank > SMALL_TALK));
  // Thanks and greetings only where there is nothing else to say.
  const ranked = worthy.some((candidates) => candidates.length > 0) ? worthy : all;
  const chosen: Candidate[] = [];
  const rest: Candidate[] = [];
  const opened = new Set<Section>();
  let used = 0;
  /** Takes a line, and its section's heading with the first one, if they fit into `room`. */
  const take = (candidate: Candidate, room: number): number => {
    const heading = opened.has(candidate.section) ? 0 : HEADING_TOKENS;
    const cost = candidate.tokens + heading;
    if (cost > room) return 0;
    opened.add(candidate.section);
    chosen.push(candidate);
    used += cost;
    return cost;
  };
  for (const [position, candidates] of ranked.entries()) {
    let share = Math.floor(most * SHARES[ORDER[position] as Section]);
    for (const candidate of candidates) {
      const cost = take(candidate, share);
      share -= cost;
      if (cost === 0) rest.push(candidate);
    }
  }
  for (const candidate of rest) take(candidate, most - used);
  // Tokens of lines only nearly add up to those of the text.
  for (let text = print(chosen); chosen.length > 0; text = print(chosen)) {
    if (counter.text(text) <= most) return text;
    chosen.pop();
  }
  return smallest(ranked.flat(), most, counter);
}

function print(chosen: readonly Candidate[]): string {
  const lines: Record<Section, string[]> = { requests: [], answers: [], facts: [], tools: [], other: [] };
  for (const { section, line } of chosen.toSorted((a, b) => a.index - b.index)) lines[section].push(line);
  return printNotes(lines);
}

/** Where not even one line with its heading fits: as much of the best line as there is room for. */
function smallest(candidates: readonly Candidate[], most: number, counter: TokenCounter): string {
  const line = candidates[0]?.line ?? "";
  for (let length = Math.min(line.length, most * 8); length > 1; length = Math.floor(length * 0.7)) {
    const text = shorten(line, length);
    if (counter.text(text) <= most) return text;
  }
  return "…";
}

function rank(notes: Notes, section: Section, counter: TokenCounter): Candidate[] {
  const lines = linesOf(notes, section);
  return lines
    .map((line, index) => ({
      section,
      index,
      line,
      tokens: counter.text(line) + 2,
      rank: rankOf(section, line, index, lines.length),
    }))
    .toSorted((a, b) => b.rank - a.rank || b.index - a.index);
}

/** The first request says what the thread is about, the latest ones what it is at; between them content decides. */
function rankOf(section: Section, line: string, index: number, count: number): number {
  if (section === "facts") return worthOf(line.split(/[=:]/u, 1)[0] ?? "");
  if (section === "tools") return Number(/: (\d+) call/u.exec(line)?.[1] ?? 0);
  const worth = salience(line);
  if (worth <= SMALL_TALK) return worth;
  if (section === "requests" && index === 0) return 1000;
  const newest = count - 1 - index;
  return (newest < 2 ? 100 - newest : 0) + worth;
}
