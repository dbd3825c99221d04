import {
  createAgent,
  createMiddleware,
  createSubagentTransformer,
  createToolCallTransformer,
  providerStrategy,
  tool,
  toolStrategy,
} from "@skein/agent";
import type { Plain } from "../normalise.ts";
import { here, type AgentEngine, type LangChain } from "./langchains.ts";

/** Our agent, with the published middleware around it. */
export const own: AgentEngine = {
  ...here,
  lc: {
    ...here.lc,
    createAgent,
    createMiddleware,
    createSubagentTransformer,
    createToolCallTransformer,
    tool,
    toolStrategy,
    providerStrategy,
  } as unknown as LangChain,
};

export const OWN_PAGE = "docs/decisions/2026-11-21-agent-and-langchain.md";

/** The scenario expects an error, which our agent does not make. */
export const FAILS_THERE = "an error there only";

/** Scenarios in which our agent does something else, and what. */
export const AGENT_DIFFERENCES: Readonly<Record<string, string>> = {
  "the tasks and checkpoints streams of a turn": "other limits, metadata; the input of a call is the call",
  "a tool that does not exist is told to the model": "words of the error",
  "the drawing of an agent with middleware": "a hook behind the model may lead back through beforeModel",
  "structured output that does not fit is told to the model, which tries again":
    "an error result, with a name",
  "structured output after a tool, on a thread": "the response is stored with the thread",
  "a StateSchema with a reduced value as the agent's state": FAILS_THERE,
  "a context that does not fit the schema of a middleware is refused": "class of the error",
  "required state of a middleware that nobody gave is refused": FAILS_THERE,
  "hooks of two middlewares run inside out: before in order, after in reverse": "a hook without news is none",
  "a hook jumps to the end, and another one back to the model":
    "what a hook returns, once; beforeModel hooks too",
  "beforeAgent jumps over the whole run": "what a hook returns, not the state with it",
  "a person edits a call": "a hook without news is none",
  "a person rejects one of two calls, and the model hears why": "the call that was not run is answered",
  "the limit of model calls ends a run, and counts over the thread":
    "a jump to the end goes through afterAgent",
  "the limit of tool calls: the model is told to stop": "results are sent in the order of the calls",
  "a tool that goes on failing: a message, or the error": FAILS_THERE,
  "two lists at once are refused, and the model hears of it": "answered by a hook: the model is asked again",
};

/** How a thread lies in a saver is the engine's, which other scenarios compare. */
const NOT_OF_THE_AGENT = new Set(["saved", "history"]);

/**
 * What a recording says of the agent. Left out: the second track, the time of a message, the name "model" that langchain
 * gives to replies of an agent without one, and words of error results, which are the agent's own.
 */
export function ofTheAgent(recording: Plain): Plain {
  if (!Array.isArray(recording)) return recording;
  return recording.filter((one) => !NOT_OF_THE_AGENT.has(String(field(one, "what")))).map(stripped);
}

function stripped(value: Plain): Plain {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "full_messages");
  const kept = Object.fromEntries(entries.map(([key, inner]) => [key, stripped(inner)]));
  const kwargs = kept["additional_kwargs"];
  if (typeof kwargs === "object" && kwargs !== null && !Array.isArray(kwargs)) delete kwargs["timestamp"];
  const kind = kept["$message"];
  if (kind === "ai" && kept["name"] === "model") delete kept["name"];
  if (kind === "tool" && kept["status"] === "error") kept["content"] = "<error>";
  return kept;
}

function field(value: Plain, key: string): Plain | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value[key] : undefined;
}
