import { ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import { isCommand } from "@skein/graph";
import { aroundOf } from "../middleware/around.ts";
import { composeWraps, type Wrap } from "../middleware/chain.ts";
import { passesOver, reportFailure } from "../middleware/failure.ts";
import { runtimeReader } from "../middleware/runtime-reader.ts";
import type { AnyAgentMiddleware, WrapToolCallHook } from "../middleware/types.ts";
import type { AgentTool } from "../model/request.ts";
import type { ToolCallRequest } from "./request.ts";
import {
  explained,
  failedTool,
  isClientTool,
  mustPropagate,
  runTool,
  type ToolCallScope,
  type ToolResult,
} from "./run-tool.ts";

/** Runs one call; never throws for an error of the tool, unknown tools included (E1). */
export type ToolCaller = (request: ToolCallRequest, config: RunnableConfig) => Promise<ToolResult>;

/** The tools with all `wrapToolCall` hooks around them, composed once an agent. */
export function toolCaller(
  middleware: readonly AnyAgentMiddleware[],
  tools: readonly AgentTool[],
  timeoutMs?: number,
): ToolCaller {
  const known = new Map(tools.filter(isClientTool).map((tool) => [tool.name, tool]));
  const around = aroundOf(middleware);
  const chain = composeWraps<ToolCallRequest, ToolResult, ToolCallScope>(
    middleware.filter((one) => one.wrapToolCall !== undefined).map(asWrap),
    around === undefined
      ? (request, scope) => runTool(request, scope, known)
      : (request, scope) => around("tool", () => runTool(request, scope, known)),
  );
  return (request, config) => {
    const scope: ToolCallScope = { config, timeoutMs, toolErrors: [] };
    return chain(request, scope).catch((error: unknown) => {
      // what a wrap itself throws is no answer for the model: approval and limits fail closed (E3)
      if (mustPropagate(error, config)) throw explained(error, request.toolCall);
      if (!isOfTool(error, scope.toolErrors)) throw error;
      return failedTool(request.toolCall, error);
    });
  };
}

/** Whether an error is the tool's own, also inside one that a wrap made of it. */
function isOfTool(error: unknown, toolErrors: readonly unknown[]): boolean {
  const seen = new Set<unknown>();
  let at = error;
  do {
    // tools may throw anything, nothing included
    if (toolErrors.includes(at)) return true;
    seen.add(at);
    at = (at as { cause?: unknown } | null | undefined)?.cause;
  } while (at !== undefined && at !== null && !seen.has(at));
  return false;
}

function asWrap(middleware: AnyAgentMiddleware): Wrap<ToolCallRequest, ToolResult, ToolCallScope> {
  const hook = middleware.wrapToolCall as WrapToolCallHook;
  const runtimeOf = runtimeReader(middleware);
  return async (outer, handler, scope) => {
    const { config } = scope;
    // a tool that ran, or threw, or runs still, is not run again because the wrap around it failed
    let attempt: Promise<ToolResult> | undefined;
    let last: ToolResult | undefined;
    try {
      const request = { ...outer, runtime: runtimeOf(config) };
      const result = await hook(request, async (next) => {
        attempt = handler(completed(outer, next, middleware.name));
        last = await attempt;
        return last;
      });
      if (isCommand(result) || ToolMessage.isInstance(result)) return result;
      throw notAResult(middleware.name, result);
    } catch (error) {
      const passed = passesOver(middleware, error, config) && !isOfTool(error, scope.toolErrors);
      if (!passed) throw error;
      reportFailure(middleware, "wrapToolCall", error, config);
      return last ?? attempt ?? handler(outer);
    }
  };
}

/** The request for the next link: what a wrap does not say of the state and the run is as it was. */
function completed(given: ToolCallRequest, next: ToolCallRequest, name: string): ToolCallRequest {
  if ((next as Partial<ToolCallRequest> | undefined)?.toolCall === undefined) {
    throw new GraphError(
      "INVALID_MIDDLEWARE",
      `wrapToolCall of middleware "${name}" called its handler without a call; hand on the request, or {...request} with changes.`,
      { details: { middleware: name } },
    );
  }
  const { state, runtime } = next as Partial<ToolCallRequest>;
  if (state === given.state && runtime !== undefined) return next;
  return { ...next, state: { ...given.state, ...state }, runtime: runtime ?? given.runtime };
}

function notAResult(name: string, result: unknown): GraphError {
  return new GraphError(
    "INVALID_MIDDLEWARE",
    `wrapToolCall of middleware "${name}" returned ${typeof result}; it must return a ToolMessage or a Command.`,
    { details: { middleware: name } },
  );
}
