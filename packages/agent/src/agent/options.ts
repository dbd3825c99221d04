import { GraphError, requireKnownOptions, shown, type OptionKind } from "@skein/errors";
import type { AnyCreateAgentParams } from "./params.ts";

/** "any" is looked at by whoever takes it, or may be null as in `langchain`. */
const OPTIONS: Readonly<Record<keyof AnyCreateAgentParams, OptionKind>> = {
  model: "any",
  tools: "any",
  systemPrompt: "any",
  middleware: "any",
  stateSchema: "any",
  responseFormat: "any",
  contextSchema: "any",
  checkpointer: "any",
  store: "any",
  name: "text",
  description: "text",
  includeAgentName: "any",
  maxIterations: "any",
  version: "any",
  maxConcurrency: "any",
  toolTimeoutMs: "any",
  onBusy: "any",
  onStop: "any",
  openTurnTimeoutMs: "any",
  restore: "any",
  now: "function",
  signal: "object",
  streamTransformers: "any",
};

/** @throws GraphError INVALID_CONFIGURATION for an option that there is not, or of another kind */
export function requireOptions(params: AnyCreateAgentParams): void {
  requireKnownOptions("createAgent", params, OPTIONS);
  requireOneOf("version", params.version, ["v1", "v2"]);
  requireOneOf("restore", params.restore, ["rebuild", "exact"]);
  const systemPrompt: unknown = params.systemPrompt;
  if (!["undefined", "string", "object"].includes(typeof systemPrompt) || Array.isArray(systemPrompt))
    throw wrong("systemPrompt must be a text or a SystemMessage.");
}

function requireOneOf(option: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || choices.includes(value)) return;
  const either = choices.map((choice) => JSON.stringify(choice)).join(" or ");
  throw wrong(`${option} must be ${either}, not ${shown(value)}.`);
}

const wrong = (message: string): GraphError => new GraphError("INVALID_CONFIGURATION", message);
