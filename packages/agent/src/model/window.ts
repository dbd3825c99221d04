import { RunnableBinding } from "@langchain/core/runnables";

/**
 * Tokens of the input that a model takes, as LangChain's model profiles say it; undefined where none does.
 *
 * @example
 * const window = modelWindow(model) ?? 128_000;
 */
export function modelWindow(model: unknown): number | undefined {
  const given = model ?? {};
  if (RunnableBinding.isRunnableBinding(given)) return modelWindow(given.bound);
  const { profile } = given as { profile?: { maxInputTokens?: unknown } | null };
  const most = profile?.maxInputTokens;
  return typeof most === "number" && most > 0 ? most : undefined;
}
