import { basename } from "node:path";
import { compactionPolicy, type RecordedThread, type SystemPolicy } from "@skein/context";
import { ClearToolUsesEdit, contextEditingMiddleware } from "@skein/middleware/context-editing";
import { presetContext, PRESETS, type PresetName } from "@skein/middleware/presets";
import { summarizationMiddleware } from "@skein/middleware/summarization";
import { toolOutputOffloadingMiddleware } from "@skein/middleware/tool-output-offloading";
import { BadInput, EXIT } from "../errors.ts";
import { DEFAULT_PRESET, windowed } from "../presets.ts";
import type { CommonOptions } from "../options.ts";
import { freeId, joinRecordings, readRecordings } from "../replay/read-recordings.ts";
import { printReplay, threadReport, totalReport, type ReplayReport } from "../replay/report.ts";
import { playThread, type ReplayContext } from "../replay/run-thread.ts";
import { toolNames } from "../replay/tools.ts";
import { fileBytes, foldLog, openStore, prepareStore } from "../database.ts";
import { count, plural } from "../ui/format.ts";
import { commandLine } from "../ui/invocation.ts";
import { createOutput } from "../ui/output.ts";
import { createProgress } from "../ui/progress.ts";
import { onStop } from "../ui/stop.ts";

export interface ReplayCommandOptions extends CommonOptions {
  readonly preset?: PresetName;
  readonly window?: number;
  readonly trigger?: number;
  readonly offload?: number;
  readonly clear?: number;
  readonly join: boolean;
  readonly system?: SystemPolicy;
}

/** Plays every conversation of a file, reads it back through a connection of its own, and reports. */
export async function replay(file: string, options: ReplayCommandOptions): Promise<number> {
  const shaped = shapedBy(options);
  const recorded = await readRecordings(file);
  const threads = options.join ? [joinRecordings(recorded, basename(file, ".jsonl"))] : recorded;
  await prepareStore(options.db);
  const before = await fileBytes(options.db);
  const { reports, turnMs } = await playAll(threads, shaped, options);
  await foldLog(options.db);
  const total = totalReport(reports, turnMs, (await fileBytes(options.db)) - before);
  printReplay(reports, total, createOutput(options.json));
  return total.ok ? EXIT.ok : EXIT.failed;
}

/** What shapes the context, and the tokens that it promises. */
interface Shaped {
  readonly context: ReplayContext;
  readonly max: number;
  readonly summarizes: boolean;
}

/** Built once before anything is opened, so that a configuration that cannot work changes nothing. */
function shapedBy(options: ReplayCommandOptions): Shaped {
  const { window, trigger, preset, offload, clear } = options;
  const own = window !== undefined || trigger !== undefined;
  if (own && preset !== undefined) throw new BadInput("Give --preset, or --window and --trigger, not both.");
  const name = preset ?? DEFAULT_PRESET;
  const numbers = own ? windowed(window, trigger) : PRESETS[name].numbers;
  const context: ReplayContext = (onEvent) => [
    ...(offload === undefined ? [] : [toolOutputOffloadingMiddleware({ limit: offload })]),
    ...(clear === undefined ? [] : [contextEditingMiddleware({ edits: [clearingAt(clear)] })]),
    ...(own && numbers !== undefined
      ? [summarizationMiddleware({ ...numbers, summarizer: "extractive", onEvent })]
      : presetContext(name, { onEvent })),
  ];
  context(() => undefined);
  return {
    context,
    max: numbers === undefined ? Number.POSITIVE_INFINITY : compactionPolicy(numbers).max,
    summarizes: own || name !== "run-loops",
  };
}

const clearingAt = (tokens: number): ClearToolUsesEdit => new ClearToolUsesEdit({ trigger: { tokens } });

async function playAll(
  threads: readonly RecordedThread[],
  shaped: Shaped,
  { db, system }: ReplayCommandOptions,
): Promise<{ reports: ReplayReport[]; turnMs: number[] }> {
  const names = toolNames(threads);
  const store = await openStore(db, "write");
  const reader = await openStore(db, "read");
  const progress = createProgress("threads", threads.length);
  const reports: ReplayReport[] = [];
  const turnMs: number[] = [];
  onStop(() => {
    progress.stop();
    const { length } = reports;
    return `stopped. ${plural(length, "thread")} of ${count(threads.length)} played and stored: ${commandLine(["threads"], db)}`;
  });
  try {
    const taken = new Set((await store.threads()).map(({ id }) => id));
    for (const thread of threads) {
      const threadId = freeId(thread.id, taken);
      const played = await playThread(thread, threadId, {
        saver: store.saver,
        context: shaped.context,
        max: shaped.max,
        toolNames: names,
        system,
      });
      reports.push(
        threadReport(
          threadId,
          played,
          await reader.history(threadId),
          {
            context: (await reader.context(threadId)).messages,
            bytesStored: await reader.bytesOf(threadId),
          },
          shaped.summarizes,
        ),
      );
      turnMs.push(...played.turnMs);
      progress.update(reports.length);
    }
  } finally {
    progress.stop();
    await reader.close();
    await store.close();
  }
  return { reports, turnMs };
}
