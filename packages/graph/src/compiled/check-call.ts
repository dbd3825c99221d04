import { GraphError } from "@skein/errors";
import { InvalidUpdateError } from "../errors/errors.ts";
import type { StreamMode } from "../stream/modes.ts";
import type { CallOptions, StreamOptions } from "./options.ts";

const DURABILITIES: readonly unknown[] = ["sync", "async", "exit"];

/** A record, so that the compiler tells when a mode is missing. */
const MODES: Readonly<Record<StreamMode, true>> = {
  values: true,
  updates: true,
  messages: true,
  custom: true,
  checkpoints: true,
  tasks: true,
  debug: true,
  tools: true,
};

/** @throws GraphError for options of a call that mean nothing */
export function checkCall(config: CallOptions): void {
  const { durability, maxConcurrency, interruptBefore, interruptAfter } = config;
  const onConflict: unknown = config.onConflict ?? config.configurable?.["onConflict"] ?? "fail";
  if (typeof onConflict !== "object") oneOf("onConflict", onConflict, ["fail"]);
  if (durability !== undefined) oneOf("durability", durability, DURABILITIES);
  if (maxConcurrency !== undefined && !(maxConcurrency >= 1)) {
    throw invalid('"maxConcurrency" is how many tasks may run at a time: at least 1.');
  }
  if (interruptBefore !== undefined) checkNames("interruptBefore", interruptBefore);
  if (interruptAfter !== undefined) checkNames("interruptAfter", interruptAfter);
}

/** @throws GraphError for a version of events that there is not, or for none */
export function checkVersion(options: unknown): void {
  oneOf("version", (options as { version?: unknown } | undefined)?.version, ["v1", "v2", "v3"]);
}

/** @throws GraphError for what is no AbortSignal */
export function checkSignal(signal: unknown): void {
  if (signal === undefined || signal === null) return;
  if (typeof (signal as Partial<AbortSignal>).addEventListener === "function") return;
  throw invalid('"signal" is an AbortSignal.');
}

/** @throws GraphError for options of a stream that mean nothing */
export function checkStream({ encoding, streamMode }: StreamOptions): void {
  if (encoding !== undefined) oneOf("encoding", encoding, ["text/event-stream"]);
  if (streamMode === undefined) return;
  for (const mode of Array.isArray(streamMode) ? streamMode : [streamMode]) {
    oneOf("streamMode", mode, Object.keys(MODES));
  }
}

/** @throws InvalidUpdateError for what is no list of supersteps, each of them a list of updates */
export function checkSteps(steps: unknown): void {
  if (!Array.isArray(steps) || !steps.every(isStep)) {
    throw new InvalidUpdateError(
      "bulkUpdateState() takes a list of supersteps, as in [{updates: [{values, asNode}]}].",
    );
  }
  if (steps.length === 0) throw new InvalidUpdateError("No supersteps were given.");
}

function isStep(step: unknown): boolean {
  const updates: unknown = (step as { updates?: unknown } | null | undefined)?.updates;
  return Array.isArray(updates) && updates.every((one) => typeof one === "object" && one !== null);
}

/** Which names there are is not known here: functions of a workflow call tasks of any name. */
function checkNames(option: string, names: unknown): void {
  if (names === "*" || Array.isArray(names)) return;
  throw invalid(`"${option}" is a list of nodes' names, or "*" for all of them.`);
}

function oneOf(option: string, given: unknown, known: readonly unknown[]): void {
  if (known.includes(given)) return;
  throw invalid(
    `"${option}" is one of ${known.map((one) => `"${String(one)}"`).join(", ")}, not ${shown(given)}.`,
  );
}

function shown(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}

function invalid(message: string): GraphError {
  return new GraphError("INVALID_CONFIGURATION", message);
}
