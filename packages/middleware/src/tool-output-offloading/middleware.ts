import { createMiddleware } from "@skein/agent";
import { planOffloading } from "@skein/context";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { invalidOption, requireWhole } from "../shared/checks.ts";
import { whenReady } from "../shared/ready.ts";
import { shapingOf, type RestoreOption } from "../shared/restoring.ts";
import {
  counterReader,
  shorteningSchema,
  shorteningWrite,
  type CounterOption,
} from "../shared/shortening.ts";
import { contextSettings, isSwitchedOff } from "../shared/user-settings.ts";

const NAME = "ToolOutputOffloadingMiddleware";

export interface ToolOutputOffloadingOptions extends RestoreOption {
  /** Results of more tokens are offloaded. Default: 4,000. */
  readonly limit?: number;
  /** Tokens of their beginning and end that stay in the context. Default: a quarter of the limit. */
  readonly keep?: number;
  /** Tools whose results are never offloaded. Default: none. */
  readonly excludeTools?: readonly string[];
  /** Default: "estimate". */
  readonly tokenCounter?: CounterOption;
}

const OPTIONS: Readonly<Record<keyof ToolOutputOffloadingOptions, OptionKind>> = {
  limit: "number",
  keep: "number",
  excludeTools: "texts",
  tokenCounter: "any",
  restore: "text",
};

/**
 * Keeps tool results that are too large out of the context: the model sees their beginning, their end,
 * their size and the call id to recall the rest with (`recallMiddleware`). The history has them whole.
 *
 * A result is offloaded before the model sees it, so no prompt that was sent changes. A result larger
 * than the model's whole window does no harm.
 *
 * It fails open (E3): if it throws, the context stays as it is and the run goes on.
 *
 * @throws GraphError INVALID_CONFIGURATION
 *
 * @example
 * createAgent({ model, tools, middleware: [toolOutputOffloadingMiddleware({ limit: 8_000 }), recallMiddleware()] });
 */
export function toolOutputOffloadingMiddleware(options: ToolOutputOffloadingOptions = {}) {
  requireKnownOptions("toolOutputOffloadingMiddleware", options, OPTIONS);
  const { limit = 4_000 } = options;
  requireWhole("limit", limit, 10);
  const { keep = Math.floor(limit / 4) } = options;
  requireWhole("keep", keep, 2);
  if (keep >= limit) throw invalidOption(`keep (${keep}) must be below limit (${limit}).`);
  const excludeTools = new Set(options.excludeTools);
  const readCounter = counterReader(options.tokenCounter);
  const shaping = shapingOf(NAME, { limit, keep, excludeTools: options.excludeTools }, options);
  return createMiddleware({
    name: NAME,
    contextConfiguration: shaping.contextConfiguration,
    failure: "open",
    stateSchema: shorteningSchema,
    contextSchema: contextSettings,
    beforeModel: async (state, runtime) => {
      if (isSwitchedOff(runtime.context)) return undefined;
      return whenReady(readCounter(), (counter) => {
        const rule = { limit, keep, excludeTools, counter };
        return shaping.run(state, runtime, (from) =>
          shorteningWrite(from, planOffloading(from.messages, rule), "offloading", runtime),
        );
      });
    },
  });
}
