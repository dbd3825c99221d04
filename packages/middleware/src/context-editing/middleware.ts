import type { BaseMessage } from "@langchain/core/messages";
import { createMiddleware, type AgentPrompt } from "@skein/agent";
import { DEFAULT_WINDOW, type TokenCounter } from "@skein/context";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { invalidOption, requireWhole } from "../shared/checks.ts";
import type { ContextState, ContextUpdate } from "../shared/context-write.ts";
import { whenReady } from "../shared/ready.ts";
import { shapingOf, type RestoreOption } from "../shared/restoring.ts";
import {
  counterReader,
  promptTokens,
  shorteningSchema,
  shorteningWrite,
  type CounterOption,
} from "../shared/shortening.ts";
import { ClearToolUsesEdit, type ContextEdit } from "./clear-tool-uses.ts";
import { contextSettings, isSwitchedOff } from "../shared/user-settings.ts";

const NAME = "ContextEditingMiddleware";

export interface ContextEditingOptions extends RestoreOption {
  /** Applied in order. Default: `[new ClearToolUsesEdit()]`. */
  readonly edits?: readonly ContextEdit[];
  /** Tokens of the model's window, for fractions. Default: what the profile of the agent's model says, else 128,000. */
  readonly window?: number;
  /** Default: "estimate". */
  readonly tokenCounter?: CounterOption;
}

const OPTIONS: Readonly<Record<keyof ContextEditingOptions, OptionKind>> = {
  edits: "any",
  window: "number",
  tokenCounter: "any",
  restore: "text",
};

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
  requireKnownOptions("contextEditingMiddleware", options, OPTIONS);
  const { edits = [new ClearToolUsesEdit()] } = options;
  requireWhole("window", options.window, 1);
  if (!Array.isArray(edits)) throw invalidOption("edits must be a list of edits.");
  for (const edit of edits as readonly ContextEdit[]) {
    if (typeof (edit as Partial<ContextEdit> | undefined)?.plan === "function") continue;
    throw invalidOption(
      "Every edit must have a method plan(messages, scope). LangChain's edits change a list in place; use ClearToolUsesEdit of @skein/middleware.",
    );
  }
  const readCounter = counterReader(options.tokenCounter);
  const shaping = shapingOf(NAME, { edits, window: options.window ?? DEFAULT_WINDOW }, options);
  const planned = (
    messages: readonly BaseMessage[],
    prompt: AgentPrompt | undefined,
    counter: TokenCounter,
  ) => {
    let shown = messages;
    const replaced = new Map<string, BaseMessage>();
    let savedTokens = 0;
    const window = options.window ?? prompt?.window ?? DEFAULT_WINDOW;
    for (const [at, edit] of edits.entries()) {
      const tokens = promptTokens(shown, prompt, counter);
      const plan = edit.plan(shown, { counter, tokens, window });
      for (const message of plan.replace) replaced.set(message.id as string, message);
      const isRead = plan.replace.length > 0 && at + 1 < edits.length;
      if (isRead) shown = shown.map((one) => replaced.get(one.id as string) ?? one);
      savedTokens += plan.savedTokens;
    }
    return { replace: [...replaced.values()], savedTokens };
  };
  return createMiddleware({
    name: NAME,
    contextConfiguration: shaping.contextConfiguration,
    failure: "open",
    stateSchema: shorteningSchema,
    contextSchema: contextSettings,
    beforeModel: async (state, runtime) => {
      if (isSwitchedOff(runtime.context)) return undefined;
      return whenReady(readCounter(), (counter) =>
        shaping.run<ContextState, ContextUpdate>(state, runtime, (from) =>
          shorteningWrite(from, planned(from.messages, runtime.prompt, counter), "clearing", runtime),
        ),
      );
    },
  });
}
