import type { Engine, LangGraph } from "./engines.ts";
import type { DifferenceId } from "./differences.ts";
import type { Plain } from "./normalise.ts";
import { Recorder } from "./recorder.ts";

/** A program text that runs on either engine, and what of it is looked at. */
export interface Scenario {
  /** The behaviour or hazard it shows. */
  readonly name: string;
  /** Set when the engines are meant to differ: the recordings must then *not* be equal. */
  readonly differs?: DifferenceId;
  run(lg: LangGraph, t: Recorder): Promise<void>;
}

export function scenario(name: string, run: Scenario["run"]): Scenario {
  return { name, run };
}

/** A scenario that shows an intended difference of {@link DifferenceId}. */
export function difference(id: DifferenceId, name: string, run: Scenario["run"]): Scenario {
  return { name, differs: id, run };
}

export async function record(scenario: Scenario, engine: Engine): Promise<Plain> {
  const recorder = new Recorder();
  await scenario.run(engine.lg, recorder);
  const recording = recorder.recording();
  if (Array.isArray(recording) && recording.length === 0) {
    throw new Error(`scenario "${scenario.name}" looked at nothing`);
  }
  return recording;
}
