import type { Engine, LangGraph } from "./engines.ts";
import type { DifferenceId } from "./differences.ts";
import { type Plain, plain } from "./normalise.ts";
import { Recorder } from "./recorder.ts";

/** A program text that runs on either engine, and what of it is looked at. */
export interface Scenario {
  /** The behaviour or hazard it shows. */
  readonly name: string;
  run(lg: LangGraph, t: Recorder): Promise<void>;
}

export function scenario(name: string, run: Scenario["run"]): Scenario {
  return { name, run };
}

/** A program that uses packages built on the engine, and what of it is looked at. */
export interface PackageScenario<Packages> {
  readonly name: string;
  run(packages: Packages, t: Recorder, lg: LangGraph): Promise<void>;
}

/** Runs a scenario on an engine; two engines that behave the same give equal recordings. */
export function record({ name, run }: Scenario, { lg }: Engine): Promise<Plain> {
  return recorded(name, (recorder) => run(lg, recorder));
}

/** {@link record}, with what stands on that engine. */
export function recordWith<Packages>(
  packages: Packages,
  { name, run }: PackageScenario<Packages>,
  { lg }: Engine,
): Promise<Plain> {
  return recorded(name, (recorder) => run(packages, recorder, lg));
}

async function recorded(name: string, run: (recorder: Recorder) => Promise<void>): Promise<Plain> {
  const recorder = new Recorder();
  await run(recorder);
  const recording = recorder.recording();
  if (Array.isArray(recording) && recording.length === 0)
    throw new Error(`scenario "${name}" looked at nothing`);
  return recording;
}

/** A program on which the engines are meant to differ, and what each makes of it. */
export interface Difference {
  readonly id: DifferenceId;
  readonly name: string;
  /** What LangGraph answers. */
  readonly there: unknown;
  /** What we answer. */
  readonly here: unknown;
  run(lg: LangGraph): Promise<unknown>;
}

/** What a program gave, or "refused: CODE" when the engine threw. */
export async function answerOf({ run }: Difference, { lg }: Engine): Promise<Plain> {
  try {
    return plain(await run(lg));
  } catch (error) {
    return `refused: ${codeOf(error)}`;
  }
}

function codeOf(error: unknown): string {
  const { code, lc_error_code, name } = error as { code?: string; lc_error_code?: string; name?: string };
  return lc_error_code ?? code ?? name ?? "nothing thrown";
}
