export { modelFallbackMiddleware } from "./middleware.ts";
