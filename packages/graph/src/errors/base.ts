import { type ErrorCode, GraphError, type GraphErrorOptions } from "@skein/errors";

export interface LangGraphErrorFields extends GraphErrorOptions {
  /** LangGraph's name for this kind of error. */
  readonly lc_error_code?: string;
  /** Our code, when it is narrower than the class's own. */
  readonly code?: ErrorCode;
}

/** Base of the error classes that LangGraph's API promises; a {@link GraphError} with its code. */
export class BaseLangGraphError extends GraphError {
  readonly lc_error_code: string | undefined;

  constructor(code: ErrorCode, message: string, fields?: LangGraphErrorFields | null) {
    super(fields?.code ?? code, message, fields);
    this.lc_error_code = fields?.lc_error_code;
  }
}
