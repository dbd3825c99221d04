import { invalidConfiguration, requireFraction, requirePositive, requireWhole } from "./check.ts";

/** How much of the newest conversation stays; of several figures the smallest part. */
export interface Keep {
  readonly messages?: number;
  /** User messages with everything that follows them. */
  readonly turns?: number;
  readonly tokens?: number;
  /** Share of the model's window, 0-1. */
  readonly fraction?: number;
}

/** @throws GraphError INVALID_CONFIGURATION if it names no figure, or one that is impossible */
export function checkKeep(keep: Keep): void {
  const names = Object.keys(keep).filter((name) => keep[name as keyof Keep] !== undefined);
  if (names.length === 0) throw invalidConfiguration("keep names no figure, such as {messages: 20}");
  for (const name of names) {
    const value = keep[name as keyof Keep];
    if (name === "messages" || name === "turns") requireWhole(`keep.${name}`, value);
    else if (name === "tokens") requirePositive("keep.tokens", value);
    else if (name === "fraction") requireFraction("keep.fraction", value);
    else
      throw invalidConfiguration(`keep has no figure "${name}"; there are messages, turns, tokens, fraction`);
  }
}
