import { createMiddleware } from "@skein/agent";
import { DEFAULT_WINDOW } from "@skein/context";
import { invalidOption, requireWhole } from "../shared/checks.ts";
import {
  counterReader,
  promptTokens,
  shorteningSchema,
  shorteningWrite,
  type CounterOption,
} from "../shared/shortening.ts";
import { ClearToolUsesEdit, type ContextEdit } from "./clear-tool-uses.ts";

export interface ContextEditingOptions {
  /** Applied in order. Default: `[new ClearToolUsesEdit()]`. */
  readonly edits?: readonly ContextEdit[];
  /** Tokens of the model's window, for fractions. Default: 128,000. */
  readonly window?: number;
  /** Default: "estimate". */
  readonly tokenCounter?: CounterOption;
}

/**
 * Edits old parts of the context, such as results of tools that nobody needs any more. The history
 * keeps them. What was edited stays edited, so that the prompt does not change back and forth.
 *
 * It fails open (E3): if it throws, the context stays as it is and the run goes on.
 *
 * @throws GraphError INVALID_CONFIGURATION
 *
 * @example
 * contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens: 50_000 } })] });
 */
export function contextEditingMiddleware(options: ContextEditingOptions = {}) {
  const { edits = [new ClearToolUsesEdit()], window = DEFAULT_WINDOW } = options;
  requireWhole("window", window, 1);
  for (const edit of edits) {
    if (typeof (edit as Partial<ContextEdit> | undefined)?.plan === "function") continue;
    throw invalidOption(
      "Every edit must have a method plan(messages, scope). LangChain's edits change a list in place; use ClearToolUsesEdit of @skein/middleware.",
    );
  }
  const readCounter = counterReader(options.tokenCounter);
  return createMiddleware({
    name: "ContextEditingMiddleware",
    failure: "open",
    stateSchema: shorteningSchema,
    beforeModel: async (state, runtime) => {
      const counter = await readCounter();
      let messages = state.messages;
      const replaced = new Map<string, (typeof messages)[number]>();
      let savedTokens = 0;
      for (const edit of edits) {
        const tokens = promptTokens(messages, runtime.prompt, counter);
        const planned = edit.plan(messages, { counter, tokens, window });
        for (const message of planned.replace) replaced.set(message.id as string, message);
        if (planned.replace.length > 0)
          messages = messages.map((one) => replaced.get(one.id as string) ?? one);
        savedTokens += planned.savedTokens;
      }
      const replace = [...replaced.values()];
      return shorteningWrite(state, { replace, savedTokens }, "clearing", runtime);
    },
  });
}
