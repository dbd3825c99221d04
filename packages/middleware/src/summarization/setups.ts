import { setupOf, type Setup, type SummarizationOptions } from "./options.ts";
import type { ContextOptimization } from "../shared/user-settings.ts";
import { changesOptions, withSettings } from "./settings.ts";

/** So many different settings are kept ready; more cost building one anew. */
const MOST = 64;

/**
 * The setup of an agent, and those of users who set something for themselves.
 *
 * @throws GraphError INVALID_CONFIGURATION at once for the agent's options, and at the call of a user
 *   whose settings contradict them
 */
export function setupsOf(
  options: SummarizationOptions,
): (settings: ContextOptimization | undefined) => Setup | Promise<Setup> {
  const usual = setupOf(options);
  const others = new Map<string, () => Setup | Promise<Setup>>();
  return (settings) => {
    if (settings === undefined || !changesOptions(settings)) return usual();
    const { tokenCounting, targetUse, summaryShare, recentShare } = settings;
    const key = JSON.stringify([tokenCounting, targetUse, summaryShare, recentShare]);
    const known = others.get(key) ?? setupOf(withSettings(options, settings));
    others.delete(key);
    others.set(key, known);
    const oldest = others.keys().next().value;
    if (others.size > MOST && oldest !== undefined) others.delete(oldest);
    return known();
  };
}
