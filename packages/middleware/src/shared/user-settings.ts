import { z } from "zod";

const share = z.number().gt(0).max(1);

/**
 * What a user may set for themselves, in the `context` of a call. Everything is optional; what is left
 * out is as the agent was configured.
 */
export const contextSettings = z.object({
  // strict: a switch that is misspelt would be passed over without a word
  contextOptimization: z
    .strictObject({
      /**
       * `false`: nothing is compacted, shortened, cleared or left out for this user, and recall is not
       * offered. What is too long for the model is then the model's error.
       */
      enabled: z.boolean().optional(),
      /** How tokens are counted: `actual` takes what the provider reports and estimates what is new. */
      tokenCounting: z.enum(["estimate", "tiktoken", "actual"]).optional(),
      /** Share of the model's window that a prompt may use. */
      targetUse: share.optional(),
      /** Share of what the system prompt leaves: the summary. */
      summaryShare: share.optional(),
      /** Share of the same: the messages. */
      recentShare: share.optional(),
      /** Whether long tool outputs are compressed. */
      compressToolOutput: z.boolean().optional(),
      /** Tokens above which a tool output is compressed. */
      toolOutputTokens: z.int().min(1).optional(),
    })
    .optional(),
});

/** The `context` that whatever shapes a model's context reads. */
export type ContextSettings = z.infer<typeof contextSettings>;
/** What of it a user may set; undefined leaves the agent's own. */
export type ContextOptimization = NonNullable<ContextSettings["contextOptimization"]>;

/** The settings in a call's context; those of a graph's own node come unchecked, hence the look. */
export function settingsOf(context: unknown): ContextOptimization | undefined {
  const given = (context as Partial<ContextSettings> | null | undefined)?.contextOptimization;
  return typeof given === "object" && given !== null ? given : undefined;
}

/** Whether a user switched off whatever shapes the context. */
export const isSwitchedOff = (context: unknown): boolean => settingsOf(context)?.enabled === false;
