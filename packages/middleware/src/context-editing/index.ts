export {
  ClearToolUsesEdit,
  type ClearToolUsesEditOptions,
  type ContextEdit,
  type ContextEditScope,
  type ContextSize,
} from "./clear-tool-uses.ts";
export { contextEditingMiddleware, type ContextEditingOptions } from "./middleware.ts";
