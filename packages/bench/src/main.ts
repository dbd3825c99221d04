import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Benchmark, Context, Measured, Row, Scale } from "./benchmark.ts";
import { agents } from "./benchmarks/agent.ts";
import { cold, fanOut, inFlight, supersteps, wide } from "./benchmarks/engine.ts";
import { codec, imports, reducer, tokens, types, webBundle } from "./benchmarks/parts.ts";
import { planning } from "./benchmarks/planning.ts";
import { promptCache } from "./benchmarks/prompt-cache.ts";
import { savers } from "./benchmarks/savers.ts";
import { postgresThreads, threads } from "./benchmarks/threads.ts";
import { bundlePrograms } from "./bundle.ts";
import { findQuickest, note, PATIENCE, paceSeen } from "./pace.ts";
import type { Answer, Figures, Job } from "./protocol.ts";
import { machine, NOT_MEASURED, table } from "./report.ts";
import { runJob } from "./run-job.ts";
import { SIDES } from "./sides.ts";
import { watchStolen } from "./stolen.ts";

const CHILD = join(import.meta.dirname, "child.ts");

const benchmarks: readonly Benchmark[] = [
  supersteps,
  wide,
  fanOut,
  threads,
  postgresThreads,
  savers,
  cold,
  inFlight,
  reducer,
  codec,
  tokens,
  agents,
  planning,
  promptCache,
  imports,
  webBundle,
  types,
];

const HELP = `pnpm bench [options]

Measures @skein/graph beside @langchain/langgraph and beside a hand-written floor, in one run:
each measurement in a process of its own, the sides in turn, medians of all rounds.
What was measured while a core was slow, as one is that another machine uses as well, is set aside and measured again.

  --only NAME   one or more of: ${benchmarks.map(({ name }) => name).join(", ")} (repeatable)
  --quick       smaller sizes, fewer rounds
  --full        also what takes LangGraph minutes and gigabytes
  --source      our packages bundled from their source, instead of as they are built for users
  --json        the figures as JSON on stdout
  --check       exit code 1 when a figure that must hold does not
  --help        this text

${benchmarks.map(({ name, about }) => `  ${name.padEnd(18)}${about}`).join("\n")}
`;

interface Options {
  readonly only: readonly string[];
  readonly quick: boolean;
  readonly full: boolean;
  readonly source: boolean;
  readonly json: boolean;
  readonly check: boolean;
}

function options(args: string[]): Options | string {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    args: args.filter((argument) => argument !== "--"),
    options: {
      only: { type: "string", multiple: true, default: [] },
      quick: flag,
      full: flag,
      source: flag,
      json: flag,
      check: flag,
      help: flag,
    },
  });
  if (values.help) return HELP;
  const unknown = values.only.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0) throw new TypeError(`there is no benchmark "${unknown.join('", "')}"; see --help`);
  return values;
}

/** Measures in a process of its own, which knows the pace that was seen so far. */
const measure = (script: string, job: Job): Promise<Answer> =>
  runJob(script, { ...job, quickest: paceSeen().quickest });

/** How often a process is measured for the sake of a quick core. */
const ATTEMPTS = 6;

/** Measures in a process of its own; again where the core was slow for all of it. */
async function paced(script: string, job: Job): Promise<Figures> {
  for (let attempt = 1; ; attempt += 1) {
    const { figures, pace, whole } = await measure(script, job);
    const again = whole && pace.counted === 0 && attempt < ATTEMPTS;
    note(again ? { ...pace, mixed: 0 } : pace);
    if (!again) return figures;
  }
}

/**
 * Measures in so many processes for which the core was quick, of three times as many at most. If it was
 * for fewer than a third of them, all count.
 */
async function quickOf(script: string, job: Job, count: number): Promise<readonly Figures[]> {
  const [quick, all]: [Figures[], Figures[]] = [[], []];
  while (quick.length < count && all.length < PATIENCE * count) {
    const { figures, pace } = await measure(script, job);
    note({ ...pace, mixed: 0 });
    all.push(figures);
    if (pace.counted > 0) quick.push(figures);
  }
  if (3 * quick.length >= count) return quick;
  note({ mixed: 1 });
  return all;
}

function contextFor(script: string, scale: Scale): Context {
  const one: Context["one"] = (job) => paced(script, job);
  const sides: Context["sides"] = async (
    measure,
    params,
    { sides = SIDES, rounds = scale.quick ? 1 : 3 } = {},
  ) => {
    const measured: { [side in keyof Measured]: Figures[] } = {};
    for (let round = 0; round < rounds; round += 1) {
      for (const side of sides) (measured[side] ??= []).push(await one({ measure, side, params }));
    }
    return measured;
  };
  const several: Context["several"] = (job, count) => quickOf(script, job, count);
  return { scale, one, several, sides };
}

/** What was measured while a core was slow. */
interface PaceShare {
  /** Of the samples, 0 to 1: set aside. */
  readonly aside: number;
  /** Series of samples, or processes, of which none was quick, so that slow ones count. */
  readonly slow: number;
}

interface Outcome {
  readonly rows: readonly Row[];
  /** By benchmark: the share of the processors' time that the host gave to others meanwhile. */
  readonly stolen: Readonly<Record<string, number>>;
  readonly pace: Readonly<Record<string, PaceShare>>;
  /** Milliseconds of the quickest probe before the first benchmark, and after the last. */
  readonly probes: Readonly<Record<"first" | "quickest", number>>;
  readonly failed: readonly string[];
}

const CALIBRATION_MS = 1_500;

/** @returns tells the share since the call; undefined where no process was measured */
function watchPace(): () => PaceShare | undefined {
  const before = paceSeen();
  return () => {
    const { counted, aside, mixed } = paceSeen();
    const samples = counted + aside - before.counted - before.aside;
    if (samples === 0) return undefined;
    return {
      aside: Math.round(((aside - before.aside) / samples) * 100) / 100,
      slow: mixed - before.mixed,
    };
  };
}

/** A benchmark that fails is reported at the end; the others still run. */
async function measureAll({ only, quick, full, source }: Options): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "skein-bench-"));
  const [child = ""] = await bundlePrograms([CHILD], join(folder, "bundle"), source ? "source" : "published");
  const context = contextFor(child, { quick, full, folder });
  const rows: Row[] = [];
  const failed: string[] = [];
  const stolen: Record<string, number> = {};
  const pace: Record<string, PaceShare> = {};
  await findQuickest(CALIBRATION_MS);
  const { quickest: first } = paceSeen();
  try {
    for (const benchmark of benchmarks) {
      if (only.length > 0 && !only.includes(benchmark.name)) continue;
      process.stderr.write(`${benchmark.name}: ${benchmark.about}\n`);
      const stolenShare = watchStolen();
      const paceShare = watchPace();
      try {
        rows.push(...(await benchmark.run(context)));
        const share = stolenShare();
        if (share !== undefined) stolen[benchmark.name] = Math.round(share * 100) / 100;
        const shared = paceShare();
        if (shared !== undefined) pace[benchmark.name] = shared;
      } catch (error) {
        failed.push(
          `${benchmark.name} could not be measured: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { rows, stolen, pace, probes: { first, quickest: paceSeen().quickest }, failed };
}

function print({ rows, stolen, pace, probes }: Outcome, json: boolean): void {
  const host = machine();
  if (json) {
    const report = { machine: host, stolen, pace, probes, notMeasured: NOT_MEASURED, rows };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  const versions = Object.entries(host.versions).map(([name, version]) => `${name} ${version}`);
  process.stdout.write(
    `${table(rows)}\n\nNode ${host.node}, ${host.cores} x ${host.cpu}, ${host.memoryGb} GB\n`,
  );
  const shares = Object.entries(stolen).map(([name, share]) => `${name} ${Math.round(share * 100)} %`);
  if (shares.length > 0)
    process.stdout.write(`The host gave to others, of the time that was asked for: ${shares.join(", ")}\n`);
  const paces = Object.entries(pace).map(
    ([name, { aside, slow }]) =>
      `${name} ${Math.round(aside * 100)} %${slow > 0 ? ` (${slow} series have no others)` : ""}`,
  );
  const [first, quickest] = [probes.first, probes.quickest].map((time) => (time * 1_000).toFixed(0));
  if (paces.length > 0)
    process.stdout.write(
      `Samples set aside, because the core was slow meanwhile: ${paces.join(", ")}; quickest probe ${first} us at first, ${quickest} us in the end\n`,
    );
  process.stdout.write(
    `${versions.join(", ")}\n\nNot measured:\n${NOT_MEASURED.map((line) => `- ${line}`).join("\n")}\n`,
  );
}

async function main(): Promise<number> {
  const chosen = options(process.argv.slice(2));
  if (typeof chosen === "string") {
    process.stdout.write(chosen);
    return 0;
  }
  const outcome = await measureAll(chosen);
  const { rows, failed } = outcome;
  print(outcome, chosen.json);
  const broken = rows.filter(({ must }) => must?.holds === false);
  for (const { name, must } of broken) process.stderr.write(`does not hold: ${name}: ${must?.text}\n`);
  for (const reason of failed) process.stderr.write(`bench: ${reason}\n`);
  if (failed.length > 0) return 2;
  return chosen.check && broken.length > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
