import type { ToolCall } from "@langchain/core/messages/tool";
import { GraphError, thrownMessage } from "@skein/errors";
import { isGraphBubbleUp } from "@skein/graph";

/** Mark of `langchain`'s own class, so that either side's check knows the other's errors. */
const MIDDLEWARE_ERROR = "MiddlewareError";

/**
 * What a middleware whose errors are passed over threw: made of its error when that is reported.
 * Errors that end a run are not wrapped; they reach the caller as they were thrown.
 */
export class MiddlewareError extends Error {
  readonly "~brand" = MIDDLEWARE_ERROR;
  /** Name of the middleware. */
  readonly middleware: string;

  constructor(error: unknown, middleware: string) {
    super(thrownMessage(error), { cause: error });
    this.name = error instanceof Error ? error.name : "MiddlewareError";
    this.middleware = middleware;
  }

  /** Wraps an error, unless it is control flow of the graph (an interrupt), which is returned as it is. */
  static wrap(error: unknown, middleware: string): Error {
    return isGraphBubbleUp(error) ? error : new MiddlewareError(error, middleware);
  }
  static isInstance(error: unknown): error is MiddlewareError {
    return error instanceof Error && (error as Partial<MiddlewareError>)["~brand"] === MIDDLEWARE_ERROR;
  }
}

/** Mark of `langchain`'s own class, as above. */
const TOOL_INVOCATION_ERROR = "ToolInvocationError";

/**
 * The arguments of a call do not fit its tool's schema. A `wrapToolCall` can catch it; otherwise the
 * model gets an error result with the same message.
 */
export class ToolInvocationError extends Error {
  readonly "~brand" = TOOL_INVOCATION_ERROR;
  readonly toolCall: ToolCall;
  /** What LangChain's tool threw. */
  readonly toolError: Error;

  constructor(toolError: unknown, toolCall: ToolCall) {
    const error = toolError instanceof Error ? toolError : new Error(thrownMessage(toolError));
    super(error.message, { cause: error });
    this.name = TOOL_INVOCATION_ERROR;
    this.toolCall = toolCall;
    this.toolError = error;
  }

  static isInstance(error: unknown): error is ToolInvocationError {
    return (
      error instanceof Error && (error as Partial<ToolInvocationError>)["~brand"] === TOOL_INVOCATION_ERROR
    );
  }
}

/** The agent's model has tools bound to it already; the agent binds its own. */
export class MultipleToolsBoundError extends GraphError {
  constructor() {
    super(
      "INVALID_CONFIGURATION",
      "The model already has tools bound to it. Pass the model without them, and the tools as `tools`.",
    );
    this.name = "MultipleToolsBoundError";
  }
}

/** What the model gave as its structured response does not fit the schema. */
export class StructuredOutputParsingError extends GraphError {
  /** Name of the tool, or of the schema, that it was given for. */
  readonly toolName: string;
  /** What is wrong with it, one line each. */
  readonly errors: string[];

  constructor(toolName: string, errors: readonly string[]) {
    const list = errors.map((error) => `\n  - ${error}`).join("");
    super("INVALID_RESPONSE", `Failed to parse structured output for tool '${toolName}':${list}.`, {
      details: { toolName, errors },
    });
    this.name = "StructuredOutputParsingError";
    this.toolName = toolName;
    this.errors = [...errors];
  }
}

/** The model gave several structured responses in one reply. */
export class MultipleStructuredOutputsError extends GraphError {
  readonly toolNames: string[];

  constructor(toolNames: readonly string[]) {
    super(
      "INVALID_RESPONSE",
      `The model gave several structured responses at once: ${toolNames.join(", ")}. Give exactly one.`,
      { details: { toolNames } },
    );
    this.name = "MultipleStructuredOutputsError";
    this.toolNames = [...toolNames];
  }
}
