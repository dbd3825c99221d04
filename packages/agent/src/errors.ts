import { GraphError } from "@skein/errors";
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
    super(error instanceof Error ? error.message : String(error), { cause: error });
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

/** What the model gave as its structured response does not fit the schema. */
export class StructuredOutputParsingError extends GraphError {
  /** Name of the tool, or of the schema, that it was given for. */
  readonly toolName: string;
  /** What is wrong with it, one line each. */
  readonly errors: readonly string[];

  constructor(toolName: string, errors: readonly string[]) {
    const list = errors.map((error) => `\n  - ${error}`).join("");
    super("INVALID_RESPONSE", `Failed to parse structured output for tool '${toolName}':${list}.`, {
      details: { toolName, errors },
    });
    this.name = "StructuredOutputParsingError";
    this.toolName = toolName;
    this.errors = errors;
  }
}

/** The model gave several structured responses in one reply. */
export class MultipleStructuredOutputsError extends GraphError {
  readonly toolNames: readonly string[];

  constructor(toolNames: readonly string[]) {
    super(
      "INVALID_RESPONSE",
      `The model gave several structured responses at once: ${toolNames.join(", ")}. Give exactly one.`,
      { details: { toolNames } },
    );
    this.name = "MultipleStructuredOutputsError";
    this.toolNames = toolNames;
  }
}
