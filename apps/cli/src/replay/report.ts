import { isDeepStrictEqual } from "node:util";
import type { BaseMessage } from "@langchain/core/messages";
import { shortenedMark, toRecorded, type RecordedMessage } from "@skein/context";
import pc from "picocolors";
import { bytes, count, label, milliseconds, plural } from "../ui/format.ts";
import type { Output } from "../ui/output.ts";
import { table } from "../ui/table.ts";
import type { Played } from "./run-thread.ts";
import { growth, median } from "./statistics.ts";
import { Tally, type Shaping } from "./tally.ts";

/** Of one thread, or of all together; then `version` is the highest. */
export interface ReplayReport extends Shaping {
  readonly ok: boolean;
  readonly thread: string;
  /** Messages of the recording; `system` of them stay outside the tracks. */
  readonly messagesIn: number;
  readonly system: number;
  /** Messages of the full track, read back from the database. */
  readonly messagesOut: number;
  /** The full track equals the recording, ids apart. */
  readonly equal: boolean;
  readonly modelCalls: number;
  readonly largestContext: number;
  readonly orphans: number;
  readonly uncovered: number;
  /** Results without a call in the recording itself: in the context, but no provider takes them. */
  readonly unsendable: number;
  /** Tool results of the history that the context at the end does not show whole. */
  readonly recallable: number;
  /** Rows of the thread in the database. */
  readonly bytesStored: number;
  /** Of the messages as JSON, for comparison. */
  readonly bytesOfMessages: number;
  /** Our own milliseconds per turn. `growth` is undefined for short threads. */
  readonly turns: number;
  readonly turnMs: { readonly median: number; readonly last: number; readonly growth: number | undefined };
}

const withoutId = (message: RecordedMessage): unknown => ({ ...message, id: undefined });

export function threadReport(
  thread: string,
  played: Played,
  history: readonly BaseMessage[],
  { context, bytesStored }: { readonly context: readonly BaseMessage[]; readonly bytesStored: number },
  summarizes: boolean,
): ReplayReport {
  const recorded = played.expected.map(withoutId);
  const stored = history.map((message) => withoutId(toRecorded(message)));
  const equal = isDeepStrictEqual(stored, recorded);
  const whole = new Set(
    context.filter((message) => shortenedMark(message) === undefined).map(({ id }) => id),
  );
  const recallable = history.filter(({ type, id }) => type === "tool" && !whole.has(id)).length;
  return {
    // a view without summaries leaves out on purpose; how much is in the report
    ok: equal && played.orphans === 0 && played.unsaid === 0 && (played.uncovered === 0 || !summarizes),
    thread,
    messagesIn: recorded.length + played.systemMessages,
    system: played.systemMessages,
    messagesOut: history.length,
    equal,
    modelCalls: played.modelCalls,
    largestContext: played.largestContext,
    orphans: played.orphans,
    uncovered: played.uncovered,
    unsendable: played.unsendable,
    recallable,
    ...shapingOf(played),
    bytesStored,
    bytesOfMessages: recorded.reduce<number>(
      (sum, message) => sum + Buffer.byteLength(JSON.stringify(message)),
      0,
    ),
    turns: played.turnMs.length,
    turnMs: { median: median(played.turnMs), last: played.turnMs.at(-1) ?? 0, growth: growth(played.turnMs) },
  };
}

export interface TotalReport extends ReplayReport {
  /** What the database file grew by. */
  readonly bytesOnDisk: number;
}

/** `turnMs` is of all turns of all threads; growth is the median of the threads that have one. */
export function totalReport(
  reports: readonly ReplayReport[],
  turnMs: readonly number[],
  bytesOnDisk: number,
): TotalReport {
  const sum = (of: (report: ReplayReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const grown = reports.flatMap(({ turnMs: { growth } }) => (growth === undefined ? [] : [growth]));
  return {
    ok: reports.every(({ ok }) => ok),
    thread: plural(reports.length, "thread"),
    messagesIn: sum((report) => report.messagesIn),
    system: sum((report) => report.system),
    messagesOut: sum((report) => report.messagesOut),
    equal: reports.every(({ equal }) => equal),
    modelCalls: sum((report) => report.modelCalls),
    largestContext: Math.max(0, ...reports.map((report) => report.largestContext)),
    orphans: sum((report) => report.orphans),
    uncovered: sum((report) => report.uncovered),
    unsendable: sum((report) => report.unsendable),
    recallable: sum((report) => report.recallable),
    ...reports.map(shapingOf).reduce(added, NOTHING_SHAPED),
    bytesStored: sum((report) => report.bytesStored),
    bytesOfMessages: sum((report) => report.bytesOfMessages),
    turns: turnMs.length,
    turnMs: {
      median: median(turnMs),
      last: median(reports.map((report) => report.turnMs.last)),
      growth: grown.length > 0 ? median(grown) : undefined,
    },
    bytesOnDisk,
  };
}

const NOTHING_SHAPED = new Tally(Number.POSITIVE_INFINITY).shaping();

function shapingOf(report: Shaping): Shaping {
  const { compactions, failedCompactions, version, omitted, shortened, loops, overBudget, unsaid } = report;
  return { compactions, failedCompactions, version, omitted, shortened, loops, overBudget, unsaid };
}

function added(a: Shaping, b: Shaping): Shaping {
  return {
    compactions: a.compactions + b.compactions,
    failedCompactions: a.failedCompactions + b.failedCompactions,
    version: Math.max(a.version, b.version),
    omitted: a.omitted + b.omitted,
    shortened: {
      compression: a.shortened.compression + b.shortened.compression,
      offloading: a.shortened.offloading + b.shortened.offloading,
      clearing: a.shortened.clearing + b.shortened.clearing,
      fitted: a.shortened.fitted + b.shortened.fitted,
      savedTokens: a.shortened.savedTokens + b.shortened.savedTokens,
    },
    loops: {
      condensed: a.loops.condensed + b.loops.condensed,
      omitted: a.loops.omitted + b.loops.omitted,
      removed: a.loops.removed + b.loops.removed,
    },
    overBudget: a.overBudget + b.overBudget,
    unsaid: a.unsaid + b.unsaid,
  };
}

/** What was done to the contexts, a line each; nothing of what did not happen. */
function shapingLines(total: TotalReport): string[] {
  const { compactions, failedCompactions, version, omitted, shortened, loops } = total;
  const { compression, offloading, clearing, fitted, savedTokens } = shortened;
  const told: [number, string][] = [
    [compactions, `summaries: ${count(compactions)}, the highest version ${count(version)}`],
    [failedCompactions, `summaries that failed: ${count(failedCompactions)}`],
    [omitted, `left out of the view without a summary: ${plural(omitted, "message")}`],
    [loops.condensed, `loops shown by question, answer and calls: ${count(loops.condensed)}`],
    [loops.omitted, `loops left out of the view: ${count(loops.omitted)}`],
    [compression, `tool outputs compressed: ${count(compression)}`],
    [offloading, `tool outputs offloaded: ${count(offloading)}`],
    [clearing, `messages of tools cleared: ${count(clearing)}`],
    [fitted, `tool outputs shortened to keep a maximum: ${count(fitted)}`],
    [savedTokens, `tokens saved by shortening: ${count(savedTokens)}`],
    [
      total.recallable,
      `tool outputs that the context does not show whole, for recall_tool_call: ${count(total.recallable)}`,
    ],
    [total.overBudget, `prompts above the maximum, as events said: ${count(total.overBudget)}`],
    [total.unsaid, pc.red(`prompts above the maximum of which no event spoke: ${count(total.unsaid)}`)],
  ];
  return told.filter(([times]) => times > 0).map(([, line]) => line);
}

const HEAD =
  "thread,in,out,equal,calls,largest context,orphans,uncovered,compactions,stored,ms/turn,last,growth".split(
    ",",
  );

/** What must be 0. */
const zero = (value: number): string => (value === 0 ? "0" : pc.red(count(value)));

function row(report: ReplayReport): string[] {
  const { turnMs } = report;
  return [
    report.ok ? label(report.thread) : pc.red(label(report.thread)),
    report.system > 0 ? `${count(report.messagesIn)} (${report.system} system)` : count(report.messagesIn),
    count(report.messagesOut),
    report.equal ? "yes" : pc.red("NO"),
    count(report.modelCalls),
    count(report.largestContext),
    zero(report.orphans),
    zero(report.uncovered) + (report.unsendable > 0 ? ` (${report.unsendable} unsendable)` : ""),
    report.failedCompactions > 0
      ? `${report.compactions} (${report.failedCompactions} failed)`
      : String(report.compactions),
    bytes(report.bytesStored),
    milliseconds(turnMs.median),
    milliseconds(turnMs.last),
    turnMs.growth === undefined ? "-" : `${turnMs.growth.toFixed(2)}x`,
  ];
}

export function printReplay(reports: readonly ReplayReport[], total: TotalReport, output: Output): void {
  for (const report of reports) output.data({ type: "thread", ...report });
  output.data({ type: "total", ...total });
  output.line(table(HEAD, [...reports.map(row), ...(reports.length > 1 ? [row(total)] : [])]));
  output.line();
  for (const line of shapingLines(total)) output.line(line);
  const { bytesOfMessages, bytesStored, bytesOnDisk } = total;
  output.line(
    `${bytes(bytesOfMessages)} of messages take ${bytes(bytesStored)} of rows; the database file grew by ${bytes(bytesOnDisk)}`,
  );
  const { equal, orphans, uncovered } = total;
  const verdict = `full track equals the recording: ${equal ? "yes" : "NO"}, orphans sent: ${orphans}, neither in window nor covered: ${uncovered}`;
  output.line(total.ok ? pc.green(verdict) : pc.red(verdict));
}
