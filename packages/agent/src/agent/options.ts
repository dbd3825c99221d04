import { SystemMessage } from "@langchain/core/messages";
import { isInteropZodSchema } from "@langchain/core/utils/types";
import { GraphError, requireKnownOptions, shown, type OptionKind } from "@skein/errors";
import { AnnotationRoot, StateSchema } from "@skein/graph";
import { isStore } from "../stores.ts";
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
  const prompt: unknown = params.systemPrompt ?? "";
  if (typeof prompt !== "string" && !SystemMessage.isInstance(prompt))
    throw wrong(`systemPrompt must be a text or a SystemMessage, not ${shown(prompt)}.`);
  requireStore(params.store);
  requireContextSchema(params.contextSchema);
}

function requireStore(store: unknown): void {
  if (store === undefined || store === null || isStore(store)) return;
  throw wrong("The store of an agent is an instance, as in {store: new InMemoryStore()}.");
}

/** Of one that says nothing, no context would ever be looked at. */
function requireContextSchema(schema: unknown): void {
  if (schema === undefined || schema === null || isInteropZodSchema(schema)) return;
  if (StateSchema.isInstance(schema) || AnnotationRoot.isInstance(schema)) return;
  const isObject = typeof schema === "object" || typeof schema === "function";
  if (isObject && "~standard" in schema) return;
  throw wrong("contextSchema must be a zod schema, another Standard Schema or an Annotation.Root.");
}

function requireOneOf(option: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || choices.includes(value)) return;
  const either = choices.map((choice) => JSON.stringify(choice)).join(" or ");
  throw wrong(`${option} must be ${either}, not ${shown(value)}.`);
}

const wrong = (message: string): GraphError => new GraphError("INVALID_CONFIGURATION", message);
