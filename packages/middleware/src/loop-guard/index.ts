export { loopGuardMiddleware, type LoopGuardOptions, type LoopGuardQuestion } from "./middleware.ts";
