import { recallMiddleware } from "../recall/index.ts";
import { runLoopsMiddleware } from "../run-loops/index.ts";
import { nothingAround, type Preset } from "./preset.ts";

/** Of the view; the history keeps every loop. `maxAge` is 7 days. */
export const RUN_LOOPS = { loops: 10, characters: 500, maxAge: 604_800_000 } as const;

export const runLoops: Preset = {
  about: "past turns by question and answer: 10 of them, 500 characters each, 7 days; with recall",
  numbers: undefined,
  context: ({ now, tokenCounter, restore }) => [
    runLoopsMiddleware({
      ...RUN_LOOPS,
      ...(now === undefined ? {} : { now }),
      ...(restore === undefined ? {} : { restore }),
    }),
    recallMiddleware(tokenCounter === "tiktoken" ? { tokenCounter } : {}),
  ],
  around: nothingAround,
};
