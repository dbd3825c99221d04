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

/** Runs a scenario on an engine; two engines that behave the same give equal recordings. */
export async function record(scenario: Scenario, engine: Engine): Promise<Plain> {
  const recorder = new Recorder();
  await scenario.run(engine.lg, recorder);
  const recording = recorder.recording();
  if (Array.isArray(recording) && recording.length === 0) {
    throw new Error(`scenario "${scenario.name}" looked at nothing`);
  }
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
