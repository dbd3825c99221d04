import { createMiddleware, type AnyAgentMiddleware } from "@skein/agent";
import { shorteningSchema } from "../shared/shortening.ts";
import { contextSettings, settingsOf } from "../summarization/settings.ts";
import { toolOutputCompressionMiddleware } from "../tool-output-compression/index.ts";
import type { PresetOptions } from "./preset.ts";

/** Different limits that are kept ready; more cost building one anew. */
const MOST = 16;

/** Compression of tool outputs that heeds what a user set for themselves. */
export function userCompression(
  numbers: { readonly limit: number; readonly keepTurns: number },
  { tokenCounter = "estimate", restore }: PresetOptions,
): AnyAgentMiddleware {
  const counting = tokenCounter === "tiktoken" ? { tokenCounter } : {};
  const restoring = restore === undefined ? {} : { restore };
  const build = (limit: number) =>
    toolOutputCompressionMiddleware({ ...numbers, limit, ...counting, ...restoring });
  const usual = build(numbers.limit);
  const others = new Map<number, typeof usual>();
  const withLimit = (limit: number | undefined): typeof usual => {
    if (limit === undefined || limit === numbers.limit) return usual;
    const known = others.get(limit) ?? build(limit);
    if (others.size >= MOST) others.clear();
    others.set(limit, known);
    return known;
  };
  return createMiddleware({
    name: usual.name,
    contextConfiguration: usual.contextConfiguration ?? "",
    failure: "open",
    stateSchema: shorteningSchema,
    contextSchema: contextSettings,
    beforeModel: (state, runtime) => {
      const settings = settingsOf(runtime.context);
      if (settings?.enabled === false || settings?.compressToolOutput === false) return undefined;
      const { beforeModel } = withLimit(settings?.toolOutputTokens);
      return typeof beforeModel === "function" ? beforeModel(state, runtime) : undefined;
    },
  });
}
