export { fileSearchMiddleware, type FileSearchOptions } from "./middleware.ts";
