import { resolve } from "node:path";
import pc from "picocolors";
import { bytes, count, milliseconds, percent, plural } from "../ui/format.ts";
import { chatCommand } from "../ui/invocation.ts";
import type { Output } from "../ui/output.ts";
import { holds, type Accounts } from "./accounts.ts";
import type { Check, ReadBack } from "./check.ts";
import type { JournalEntry } from "./journal.ts";
import type { Kill } from "./protocol.ts";

/** What the tour found, every number computed from the journal and from what is on disk. */
export interface Report extends Omit<Accounts, "total">, ReadBack {
  readonly ok: boolean;
  readonly thread: string;
  readonly db: string;
  readonly dir: string;
  readonly seconds: number;
  readonly kill: Kill;
  readonly compactions: number;
  readonly modelCalls: number;
  /** Tokens of all requests together, as sent and as they would have been without compaction. */
  readonly tokensSent: { readonly compacted: number; readonly uncompacted: number };
  /** Of this thread in the database; what the database file grew by. */
  readonly disk: { readonly thread: number; readonly file: number };
  readonly next: string;
}

export interface ReportInput {
  readonly options: {
    readonly messages: number;
    readonly dir: string;
    readonly db: string;
    readonly preset?: string;
  };
  readonly thread: string;
  readonly check: Check;
  readonly journal: readonly JournalEntry[];
  readonly kill: Kill;
  readonly grown: number;
  readonly seconds: number;
}

export function reportOf({ options, thread, check, journal, kill, grown, seconds }: ReportInput): Report {
  const { accounts, stored, ...readBack } = check;
  const { total: _total, ...settled } = accounts;
  const requests = journal.flatMap((entry) => (entry.type === "request" ? [entry] : []));
  const enough = check.history.messages >= options.messages && check.toolResults > 0;
  const killed = kill.signal === "SIGKILL" && accounts.runAgain > 0;
  return {
    ok: holds(accounts) && enough && killed,
    thread,
    db: resolve(options.db),
    dir: resolve(options.dir),
    seconds,
    kill,
    compactions: journal.filter((entry) => entry.type === "compaction").length,
    modelCalls: requests.length,
    tokensSent: {
      compacted: requests.reduce((sum, { sent }) => sum + sent, 0),
      uncompacted: requests.reduce((sum, { whole }) => sum + whole, 0),
    },
    disk: { thread: stored, file: grown },
    next: chatCommand(thread, options),
    ...readBack,
    ...settled,
  };
}

export function printReport(report: Report, output: Output): void {
  const { history, context, tokensSent, disk, kill } = report;
  const rows: [string, string][] = [
    [
      "complete history",
      `${count(history.messages)} messages, ${count(history.tokens)} tokens, ${count(report.toolResults)} tool results`,
    ],
    [
      "context of the model",
      `${count(context.messages)} messages, ${count(context.tokens)} tokens (${percent(context.tokens, history.tokens)} of the history)`,
    ],
    ["compactions", count(report.compactions)],
    [
      "tokens sent",
      `${count(tokensSent.compacted)} in ${count(report.modelCalls)} requests; without compaction ${count(tokensSent.uncompacted)} (saved ${percent(tokensSent.uncompacted - tokensSent.compacted, tokensSent.uncompacted)})`,
    ],
    [
      "on disk",
      `${bytes(disk.file)} in the file for ${bytes(history.bytes)} of messages (${(disk.file / history.bytes).toFixed(2)} x); rows of the thread ${bytes(disk.thread)}`,
    ],
    [
      "time to resume",
      `${milliseconds(report.resumeMs)} to be ready for the next turn, ${milliseconds(report.fullHistoryMs)} to read the complete history`,
    ],
    [
      "kill",
      `${kill.signal} in a superstep: ${plural(kill.finishedSiblings, "call")} finished (not run again), 1 running (ran again)`,
    ],
    ["unanswered calls", count(report.unanswered)],
    ["changed messages", count(report.changed)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  output.line();
  for (const [name, value] of rows) output.line(`${pc.bold(name.padEnd(width))}  ${value}`);
  const verdict = `lost: ${report.lost}, applied twice: ${report.appliedTwice}`;
  output.line();
  output.line(report.ok ? pc.green(verdict) : pc.red(`${verdict} - NOT everything holds`));
  output.line(`${report.seconds.toFixed(1)} s altogether. Go on chatting on this very thread:`);
  output.line(`  ${report.next}`);
}
