export { runLoopsMiddleware, type LoopViewEvent, type RunLoopsOptions } from "./middleware.ts";
