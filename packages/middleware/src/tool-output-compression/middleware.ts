import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "@skein/agent";
import { planCompression } from "@skein/context";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { requireWhole } from "../shared/checks.ts";
import { whenReady } from "../shared/ready.ts";
import { shapingOf, type RestoreOption } from "../shared/restoring.ts";
import {
  counterReader,
  shorteningSchema,
  shorteningWrite,
  type CounterOption,
} from "../shared/shortening.ts";
import { contextSettings, settingsOf } from "../shared/user-settings.ts";

const NAME = "ToolOutputCompressionMiddleware";

export interface ToolOutputCompressionOptions extends RestoreOption {
  /** Results of more tokens are compressed. Default: 200. */
  readonly limit?: number;
  /** Results of so many newest user turns stay as they are. Default: 5. */
  readonly keepTurns?: number;
  /** Tools whose results are never compressed. Default: none. */
  readonly excludeTools?: readonly string[];
  /** Tokens that a compression must save; until then it waits. Default: 2,000. */
  readonly saveAtLeast?: number;
  /** Default: "estimate". */
  readonly tokenCounter?: CounterOption;
}

const OPTIONS: Readonly<Record<keyof ToolOutputCompressionOptions, OptionKind>> = {
  limit: "number",
  keepTurns: "number",
  excludeTools: "texts",
  saveAtLeast: "number",
  tokenCounter: "any",
  restore: "text",
};

/**
 * Compresses tool results of older turns in the context: JSON to its outline, text to its beginning
 * and end. The history keeps the originals. Many are compressed at once, and each only once, so that
 * the prompt's beginning changes seldom.
 *
 * It fails open (E3): if it throws, the context stays as it is and the run goes on.
 *
 * @throws GraphError INVALID_CONFIGURATION
 *
 * @example
 * createAgent({ model, tools, middleware: [toolOutputCompressionMiddleware({ excludeTools: ["read_file"] })] });
 */
export function toolOutputCompressionMiddleware(options: ToolOutputCompressionOptions = {}) {
  requireKnownOptions("toolOutputCompressionMiddleware", options, OPTIONS);
  const { limit = 200, keepTurns = 5, saveAtLeast = 2_000 } = options;
  requireWhole("limit", limit, 1);
  requireWhole("keepTurns", keepTurns, 0);
  requireWhole("saveAtLeast", saveAtLeast, 0);
  const excludeTools = new Set(options.excludeTools);
  const memoOf = memos();
  const readCounter = counterReader(options.tokenCounter);
  const shaping = shapingOf(NAME, { limit, keepTurns, excludeTools: options.excludeTools }, options);
  return createMiddleware({
    name: NAME,
    contextConfiguration: shaping.contextConfiguration,
    failure: "open",
    stateSchema: shorteningSchema,
    contextSchema: contextSettings,
    beforeModel: async (state, runtime) => {
      const settings = settingsOf(runtime.context);
      if (settings?.enabled === false || settings?.compressToolOutput === false) return undefined;
      const most = settings?.toolOutputTokens ?? limit;
      return whenReady(readCounter(), (counter) => {
        const rule = { limit: most, keepTurns, saveAtLeast, excludeTools, counter, memo: memoOf(most) };
        return shaping.run(state, runtime, (from) =>
          shorteningWrite(from, planCompression(from.messages, rule), "compression", runtime),
        );
      });
    },
  });
}

/** So many different limits are remembered; more cost compressing again what waits. */
const MOST_LIMITS = 16;

/** What was compressed, by message, for each limit that is in use: users may set their own. */
function memos(): (limit: number) => WeakMap<BaseMessage, ToolMessage | null> {
  const byLimit = new Map<number, WeakMap<BaseMessage, ToolMessage | null>>();
  return (limit) => {
    const known = byLimit.get(limit) ?? new WeakMap<BaseMessage, ToolMessage | null>();
    if (byLimit.size >= MOST_LIMITS && !byLimit.has(limit)) byLimit.clear();
    byLimit.set(limit, known);
    return known;
  };
}
