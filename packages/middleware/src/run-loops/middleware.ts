import { createMiddleware } from "@skein/agent";
import { createTokenCounter, planLoopView } from "@skein/context";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { requireAmount, requireWhole } from "../shared/checks.ts";
import { contextWrite } from "../shared/context-write.ts";
import { shapingOf, type RestoreOption } from "../shared/restoring.ts";
import { shorteningSchema } from "../shared/shortening.ts";
import { contextSettings, isSwitchedOff } from "../shared/user-settings.ts";

const NAME = "RunLoopsMiddleware";
const WEEK = 7 * 24 * 60 * 60 * 1000;

export interface RunLoopsOptions extends RestoreOption {
  /** How many past loops are shown, beside the one under way. Default: 10. */
  readonly loops?: number;
  /** Characters of a past question, and of a past answer. Default: 500. */
  readonly characters?: number;
  /** Milliseconds since a loop ended after which it is not shown. Default: 7 days. */
  readonly maxAge?: number;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** Sent to the custom stream when loops were condensed or left out of the context. */
export interface LoopViewEvent {
  readonly type: "loops-view";
  /** Ids of the loops that are now shown by question, answer and list of calls. */
  readonly condensed: readonly string[];
  /** Ids of the loops that the context no longer shows. */
  readonly omitted: readonly string[];
  readonly removedMessages: number;
}

const OPTIONS: Readonly<Record<keyof RunLoopsOptions, OptionKind>> = {
  loops: "number",
  characters: "number",
  maxAge: "number",
  now: "function",
  restore: "text",
};

/**
 * Shows the model its past turns by question, final answer and the calls that were made, and the turn
 * under way whole. The limits are of the view: the history keeps every message, and with
 * `recallMiddleware` the model can read what is not shown.
 *
 * A turn is condensed once, when the next one begins. Dropping the oldest changes the prompt's
 * beginning with every turn beyond `loops`: where a provider's prompt cache matters, summarize instead.
 *
 * It fails open (E3): if it throws, the context stays as it is and the run goes on.
 *
 * @throws GraphError INVALID_CONFIGURATION
 *
 * @example
 * createAgent({ model, tools, checkpointer, middleware: [runLoopsMiddleware({ loops: 10 }), recallMiddleware()] });
 */
export function runLoopsMiddleware(options: RunLoopsOptions = {}) {
  requireKnownOptions("runLoopsMiddleware", options, OPTIONS);
  const { loops = 10, characters = 500, maxAge = WEEK, now = Date.now } = options;
  requireWhole("loops", loops, 0);
  requireWhole("characters", characters, 1);
  requireAmount("maxAge", maxAge);
  const counter = createTokenCounter();
  const shaping = shapingOf(NAME, { loops, characters, maxAge }, options);
  return createMiddleware({
    name: NAME,
    contextConfiguration: shaping.contextConfiguration,
    failure: "open",
    stateSchema: shorteningSchema,
    contextSchema: contextSettings,
    beforeModel: async (saved, runtime) => {
      if (isSwitchedOff(runtime.context)) return undefined;
      const rule = { loops, characters, maxAge, now: now(), counter };
      return shaping.run(saved, runtime, (state) => {
        const { remove, replace, condensed, omitted } = planLoopView(state.messages, rule);
        if (remove.length + replace.length === 0) return undefined;
        const event: LoopViewEvent = {
          type: "loops-view",
          condensed,
          omitted,
          removedMessages: remove.length,
        };
        runtime.writer?.(event);
        return contextWrite(state, { remove, replace });
      });
    },
  });
}
