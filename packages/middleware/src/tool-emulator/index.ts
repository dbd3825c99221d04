export { toolEmulatorMiddleware, type ToolEmulatorOptions } from "./middleware.ts";
