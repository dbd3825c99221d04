export { shellToolMiddleware, type ShellToolOptions } from "./middleware.ts";
