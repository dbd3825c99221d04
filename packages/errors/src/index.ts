export { ERROR_CODES, type ErrorCategory, type ErrorCode } from "./catalogue.ts";
export { GraphError, type ErrorDetails, type GraphErrorOptions } from "./graph-error.ts";
export { requireKnownOptions, type OptionKind } from "./options.ts";
export { shown } from "./shown.ts";
export { thrownMessage, thrownText } from "./thrown.ts";
export { LONGEST_TIMER } from "./timers.ts";
