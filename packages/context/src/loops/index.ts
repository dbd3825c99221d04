export { runLoops, type LoopCall, type RunLoop, type RunLoops } from "./loops.ts";
export { planLoopView, type LoopView, type LoopViewRule } from "./view.ts";
