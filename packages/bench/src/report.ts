import { cpus, totalmem } from "node:os";
import Table from "cli-table3";
import type { Row } from "./benchmark.ts";
import { versionOf } from "./bundle.ts";

export interface Machine {
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly versions: Readonly<Record<string, string>>;
}

export function machine(): Machine {
  const names = [
    "@langchain/langgraph",
    "@langchain/langgraph-checkpoint",
    "@langchain/langgraph-checkpoint-sqlite",
    "@langchain/core",
    "langchain",
    "ai",
    "@openai/agents",
    "libsql",
  ];
  return {
    node: process.version,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    versions: Object.fromEntries(names.map((name) => [name, versionOf(name)])),
  };
}

export const NOT_MEASURED = [
  "Models and tools: all nodes return at once. A real model call takes 1,000 times what any engine does.",
  "Power cuts: our SQLite and the floor run in WAL with synchronous=NORMAL; LangGraph's saver sets WAL and leaves SQLite's default, FULL.",
  "LangGraph's saver runs on libsql's better-sqlite3 API, since better-sqlite3 itself has to be compiled.",
  "Garbage collection is not forced; a pause counts where it falls. Medians hide the slowest calls.",
  "Networks, other machines, concurrent writers to one file. The PostgreSQL server runs beside the program.",
  "Nothing is extrapolated: an empty cell was not run.",
] as const;

export function table(rows: readonly Row[]): string {
  const out = new Table({
    head: ["", "unit", "Skein", "LangGraph", "floor", "vs LangGraph", "budget", "aim", "verdict"],
    colAligns: ["left", "left", "right", "right", "right", "right", "right", "right", "left"],
    style: { head: [], border: [] },
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  });
  for (const row of rows) {
    out.push([
      row.name,
      row.unit,
      figure(row.skein),
      figure(row.langgraph),
      figure(row.floor),
      ratio(row),
      figure(row.budget),
      figure(row.aim),
      verdict(row),
    ]);
  }
  return [out.toString(), ...notes(rows)].join("\n");
}

/** Each note once, with the rows it belongs to. */
function notes(rows: readonly Row[]): string[] {
  const byNote = new Map<string, string[]>();
  for (const { name, note } of rows) {
    if (note !== undefined) byNote.set(note, [...(byNote.get(note) ?? []), name]);
  }
  return [...byNote].map(([note, names]) => `- ${names.join("; ")}: ${note}`);
}

function figure(value: number | undefined): string {
  if (value === undefined) return "";
  // three digits in all, but for whole numbers and what is below 1
  const digits = [100, 10, 1].filter((bound) => Math.abs(value) < bound).length;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** How many times better than LangGraph; below 1 is worse. */
function ratio({ skein, langgraph, larger }: Row): string {
  if (skein === undefined || langgraph === undefined) return "";
  return `${figure(larger === true ? skein / langgraph : langgraph / skein)}x`;
}

/** What must hold comes first; budgets of the design are information, and so is how far the aim is. */
function verdict(row: Row): string {
  const parts: string[] = [];
  if (row.must !== undefined) parts.push(`${row.must.holds ? "PASS" : "FAIL"} ${row.must.text}`);
  if (row.skein !== undefined && row.budget !== undefined) {
    const within = row.larger === true ? row.skein >= row.budget : row.skein <= row.budget;
    parts.push(
      within
        ? "within budget"
        : `over budget (${figure(distance(row, row.budget))}x${atThatPace(row, row.budget)})`,
    );
  }
  if (row.skein !== undefined && row.aim !== undefined) {
    const away = distance(row, row.aim);
    parts.push(away <= 1 ? "aim reached" : `aim ${figure(away)}x away`);
  }
  return parts.join("; ");
}

/** A budget is a figure of the machine that it was written on: by LangGraph's, what ours would be there. */
function atThatPace(row: Row, budget: number): string {
  const { langgraph, langgraphThen, larger } = row;
  if (langgraph === undefined || langgraphThen === undefined) return "";
  const pace = larger === true ? langgraphThen / langgraph : langgraph / langgraphThen;
  const there = figure(distance(row, budget) / pace);
  return `; LangGraph takes ${figure(pace)}x its time of then, at its pace this is ${there}x`;
}

function distance({ skein = Number.NaN, larger }: Row, budget: number): number {
  return larger === true ? budget / skein : skein / budget;
}
