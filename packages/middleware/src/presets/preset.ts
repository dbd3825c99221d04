import type { OptionKind } from "@skein/errors";
import type { AnyAgentMiddleware } from "@skein/agent";
import type { CompactionOptions } from "@skein/context";
import type { InterruptOn } from "../human-approval/index.ts";
import { summarizationMiddleware, type SummarizationMiddlewareOptions } from "../summarization/index.ts";
import { toolOutputCompressionMiddleware } from "../tool-output-compression/index.ts";

/** What a preset leaves to the application. */
export interface PresetOptions extends Pick<
  SummarizationMiddlewareOptions,
  | "model"
  | "summarizer"
  | "summaryPrompt"
  | "tokenCounter"
  | "window"
  | "timeout"
  | "now"
  | "onEvent"
  | "restore"
> {
  /** Old messages go under a summary (default), or are left out and reported. */
  readonly summarize?: boolean;
  /** Which tools a person is asked about, in presets that ask. Default: `"all"`. */
  readonly interruptOn?: "all" | InterruptOn;
}

export const PRESET_OPTIONS: Readonly<Record<keyof PresetOptions, OptionKind>> = {
  model: "any",
  summarizer: "any",
  summaryPrompt: "text",
  tokenCounter: "any",
  window: "number",
  timeout: "number",
  now: "function",
  onEvent: "function",
  restore: "text",
  summarize: "boolean",
  interruptOn: "any",
};

/** A configuration with a name. */
export interface Preset {
  /** In a few words, for a list of them. */
  readonly about: string;
  /** Its numbers, as the planner takes them; undefined where nothing is compacted. */
  readonly numbers: CompactionOptions | undefined;
  /** The middleware that decides what the model sees. */
  context(options: PresetOptions): AnyAgentMiddleware[];
  /** What it brings beside that: limits, retries, approval. */
  around(options: PresetOptions): AnyAgentMiddleware[];
}

export const nothingAround = (): AnyAgentMiddleware[] => [];

/** Summaries by the application's model, with extracts where it fails; by extracts alone without one. */
export function summarizing(numbers: CompactionOptions, given: PresetOptions): AnyAgentMiddleware {
  const { model, summarizer, summarize = true } = given;
  const { background = false, ...rest } = numbers;
  const { interruptOn: _, ...own } = given;
  return summarizationMiddleware({
    ...rest,
    ...own,
    summarize,
    ...(summarize && background !== false ? { background } : {}),
    ...(model === undefined && summarizer === undefined ? { summarizer: "extractive" } : {}),
    ...(model === undefined ? {} : { fallback: "extractive" }),
  });
}

/** Compression of tool outputs, counted as the application counts where it loads a tokenizer. */
export function compressing(
  numbers: { readonly limit: number; readonly keepTurns: number },
  { tokenCounter, restore }: PresetOptions,
): AnyAgentMiddleware {
  return toolOutputCompressionMiddleware({
    ...numbers,
    ...(tokenCounter === "tiktoken" ? { tokenCounter } : {}),
    ...(restore === undefined ? {} : { restore }),
  });
}
