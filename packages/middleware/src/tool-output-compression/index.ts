export { toolOutputCompressionMiddleware, type ToolOutputCompressionOptions } from "./middleware.ts";
