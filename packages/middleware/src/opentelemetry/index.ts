export { OpenTelemetryHandler, type OpenTelemetryOptions } from "./handler.ts";
export { openTelemetryMiddleware } from "./middleware.ts";
