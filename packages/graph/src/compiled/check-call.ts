import { GraphError, shown } from "@skein/errors";
import { checkPart } from "../errors/given.ts";
import { KnownOptions } from "../errors/known-options.ts";
import { GraphValueError, InvalidUpdateError } from "../errors/errors.ts";
import type { OnConflict } from "../run/storage.ts";
import { taskOf } from "../task/config.ts";
import type { StreamMode } from "../stream/modes.ts";
import type { CallOptions, StreamOptions } from "./options.ts";

const DURABILITIES: readonly unknown[] = ["sync", "async", "exit"];

/** A record, so that the compiler tells when a mode is missing. */
const MODES: Readonly<Record<StreamMode, 1>> = {
  values: 1,
  updates: 1,
  messages: 1,
  custom: 1,
  checkpoints: 1,
  tasks: 1,
  debug: 1,
  tools: 1,
};

/** With what LangGraph's own calls and LangChain's Runnables take, and what stands in a node's config. */
const CALL = new KnownOptions(
  "A call of a graph",
  "callbacks configurable maxConcurrency metadata recursionLimit runId runName signal tags timeout " +
    "cache checkpointDuring context control debug durability encoding inputKeys interruptAfter " +
    "interruptBefore outputKeys store streamMode subgraphs streamTransformers transformers version " +
    "executionInfo heartbeat interrupt runtime serverInfo state writer",
  "onConflict onBusy",
);

/** @throws GraphError for a misspelt option of ours. Undefined when all are known, as nearly always */
export function checkSpelling(options: object | null | undefined): Promise<void> | undefined {
  // a node's config, handed on, was made by the engine
  if (typeof options !== "object" || options === null || taskOf(options) !== undefined) return undefined;
  return CALL.check(options);
}

/** The same for what is bound to a graph, where it can only be warned of. */
export function warnOfSpelling(options: object): void {
  CALL.warn(options);
}

/**
 * Looks at the options of one call, before they are merged with others. On the path of every call.
 *
 * @throws GraphError for options that are none
 */
export function checkOptions(options: object): void {
  if (typeof options !== "object") throw invalid(`A call takes an object of options, not ${shown(options)}.`);
  if ((options as { onBusy?: unknown }).onBusy !== undefined) {
    throw invalid('"onBusy" is for invoke and stream of agents; a graph takes "onConflict".');
  }
  checkSignal((options as CallOptions).signal);
}

/** Also what a node hands on. */
type GivenConfig = CallOptions & { readonly writer?: unknown };

/** @throws GraphError for options of a call that mean nothing */
export function checkCall(config: GivenConfig): void {
  const { durability, maxConcurrency, interruptBefore, interruptAfter } = config;
  checkConflict(onConflictOf(config.onConflict, config.configurable));
  if (!isNone(durability)) oneOf("durability", durability, DURABILITIES);
  if (!isNone(maxConcurrency) && !isAtLeast(1, maxConcurrency)) {
    throw invalid('"maxConcurrency" is how many tasks may run at a time: at least 1.');
  }
  checkNames("interruptBefore", interruptBefore);
  checkNames("interruptAfter", interruptAfter);
  checkConfig(config);
}

/** What a call does when its thread is busy: as its option says, or its `configurable`. */
export function onConflictOf(
  option: OnConflict | undefined,
  configurable: Readonly<Record<string, unknown>> | undefined,
): OnConflict | undefined {
  return option ?? (configurable?.["onConflict"] as OnConflict | undefined);
}

/** @throws GraphError for a way out of conflicts that there is not: a wait of NaN would have no end */
export function checkConflict(onConflict: unknown): void {
  if (isNone(onConflict) || onConflict === "fail") return;
  if (typeof onConflict === "object" && isAtLeast(0, (onConflict as { waitMs?: unknown }).waitMs)) return;
  throw invalid(
    `"onConflict" is "fail" or {waitMs: number}, in milliseconds, 0 or more; ${shown(onConflict)} was given.`,
  );
}

/** What LangChain would stumble over, or pass over when nobody listens. */
function checkConfig(config: GivenConfig): void {
  const { tags, metadata, callbacks, store, cache, control, writer } = config;
  if (!isNone(tags) && !Array.isArray(tags)) throw invalid(`"tags" is a list of texts, not ${shown(tags)}.`);
  if (!isNone(metadata) && (typeof metadata !== "object" || Array.isArray(metadata))) {
    throw invalid(`"metadata" is an object, not ${shown(metadata)}.`);
  }
  if (!isNone(callbacks) && !isCallbacks(callbacks)) {
    throw invalid(`"callbacks" is a list of handlers, or a CallbackManager, not ${shown(callbacks)}.`);
  }
  if (!isNone(writer) && typeof writer !== "function") {
    throw invalid(`"writer" is a function that takes custom chunks, not ${shown(writer)}.`);
  }
  checkPart("store", store, "new InMemoryStore()");
  checkPart("cache", cache, "new InMemoryCache()");
  checkPart("control", control, "new RunControl()");
}

export function isNone(given: unknown): given is undefined | null {
  return given === undefined || given === null;
}

function isCallbacks(callbacks: unknown): boolean {
  if (Array.isArray(callbacks)) return callbacks.every((one) => typeof one === "object" && one !== null);
  return typeof (callbacks as { copy?: unknown }).copy === "function";
}

function isAtLeast(least: number, given: unknown): boolean {
  return typeof given === "number" && given >= least;
}

/** @throws GraphError for what is no list of inputs, or options that are not as many */
export function checkBatch(inputs: unknown, options: unknown): void {
  if (!Array.isArray(inputs)) {
    throw new GraphError("INVALID_INPUT", `batch() takes a list of inputs, not ${shown(inputs)}.`);
  }
  if (!Array.isArray(options) || options.length === inputs.length) return;
  throw invalid(
    `batch() was given ${options.length} options for ${inputs.length} inputs. Pass as many, or one object for all.`,
  );
}

/** @throws GraphError for a limit that is none */
export function checkRecursionLimit(limit: unknown): void {
  if (isAtLeast(1, limit)) return;
  throw new GraphValueError(`"recursionLimit" must be at least 1; ${shown(limit)} was given.`);
}

/** @throws GraphError for a version of events that there is not, or for none */
export function checkVersion(options: unknown): void {
  oneOf("version", (options as { version?: unknown } | undefined)?.version, ["v1", "v2", "v3"]);
}

/** @throws GraphError for what is no AbortSignal */
function checkSignal(signal: unknown): void {
  if (isNone(signal) || typeof (signal as Partial<AbortSignal>).addEventListener === "function") return;
  throw invalid('"signal" is an AbortSignal.');
}

/** @throws GraphError for options of a stream that mean nothing */
export function checkStream({ encoding, streamMode }: StreamOptions): void {
  if (!isNone(encoding)) oneOf("encoding", encoding, ["text/event-stream"]);
  if (isNone(streamMode)) return;
  for (const mode of Array.isArray(streamMode) ? streamMode : [streamMode]) {
    oneOf("streamMode", mode, Object.keys(MODES));
  }
}

/** @throws InvalidUpdateError for what is no list of supersteps, each of them a list of updates */
export function checkSteps(steps: unknown): void {
  if (!Array.isArray(steps) || !steps.every(isStep)) {
    throw new InvalidUpdateError(
      "bulkUpdateState() takes a list of supersteps with updates, as in [{updates: [{values, asNode}]}].",
    );
  }
  if (steps.length === 0) throw new InvalidUpdateError("No supersteps were given.");
}

function isStep(step: unknown): boolean {
  const updates: unknown = (step as { updates?: unknown } | null | undefined)?.updates;
  if (!Array.isArray(updates) || updates.length === 0) return false;
  return updates.every((one) => typeof one === "object" && one !== null);
}

/**
 * Which names there are is not known here: functions of a workflow call tasks of any name.
 *
 * @throws GraphError INVALID_CONFIGURATION for what is no list of names
 */
export function checkNames(option: string, names: unknown): void {
  if (
    isNone(names) ||
    names === "*" ||
    (Array.isArray(names) && names.every((name) => typeof name === "string"))
  )
    return;
  throw invalid(`"${option}" is a list of nodes' names, or "*" for all of them.`);
}

function oneOf(option: string, given: unknown, known: readonly unknown[]): void {
  if (known.includes(given)) return;
  throw invalid(`"${option}" is one of "${known.join('", "')}", not ${shown(given)}.`);
}

function invalid(message: string): GraphError {
  return new GraphError("INVALID_CONFIGURATION", message);
}
