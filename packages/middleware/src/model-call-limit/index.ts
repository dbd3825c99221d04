export { modelCallLimitMiddleware, type ModelCallLimitOptions } from "./middleware.ts";
