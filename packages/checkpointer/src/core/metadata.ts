import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { Codec } from "../codec/types.ts";
import { flat } from "./flat.ts";

/** Steps of a run whose metadata are remembered as text. */
const STEPS = 256;
/** Where a run begins. */
const FIRST = -2;

/** Metadata as text. Nearly all say the same as those of another run's step, and share one text. */
export class MetadataTexts {
  readonly #codec: Codec;
  readonly #usual: Record<"input" | "loop", (string | undefined)[]> = { input: [], loop: [] };

  constructor(codec: Codec) {
    this.#codec = codec;
  }
  of(metadata: CheckpointMetadata): string {
    const { source, step } = metadata;
    const isUsual =
      (source === "loop" || source === "input") && Number.isInteger(step) && step >= FIRST && step < STEPS;
    if (!isUsual || !saysNoMore(metadata)) return this.#text(metadata);
    return (this.#usual[source][step - FIRST] ??= this.#text(metadata));
  }
  #text(metadata: CheckpointMetadata): string {
    return flat(this.#codec.encode(metadata));
  }
}

/** Whether they say nothing but source and step. */
function saysNoMore(metadata: CheckpointMetadata): boolean {
  for (const key in metadata) if (key !== "source" && key !== "step" && key !== "parents") return false;
  // other writers leave it out
  const { parents } = metadata as Partial<CheckpointMetadata>;
  if (parents === undefined || parents === null || Object.getPrototypeOf(parents) !== Object.prototype)
    return false;
  for (const _ in parents) return false;
  return true;
}
