import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { ours } from "../engines.ts";
import { type Plain } from "../normalise.ts";
import { record } from "../scenario.ts";
import { scenarios } from "../scenarios/index.ts";
import { watched } from "./ambient.ts";

/** What a scenario gave where there is no AsyncLocalStorage. */
export interface WebResult {
  readonly name: string;
  /** Undefined when it failed. */
  readonly recording?: Plain;
  readonly failed?: string;
  /** What it called that finds its run through AsyncLocalStorage. */
  readonly ambient: readonly string[];
}

/** What a page can have in place of an AsyncLocalStorage: a node's config, until its first `await`. */
class SynchronousStorage {
  #store: unknown;

  run<T>(store: unknown, act: () => T): T {
    const outer = this.#store;
    this.#store = store;
    try {
      return act();
    } finally {
      this.#store = outer;
    }
  }
  getStore(): unknown {
    return this.#store;
  }
}

/**
 * Runs the scenarios of these themes; of all when none are named.
 *
 * @param synchronous - with a storage that needs nothing of Node's
 */
async function runScenarios(themes: readonly string[], synchronous: boolean): Promise<WebResult[]> {
  if (synchronous)
    AsyncLocalStorageProviderSingleton.initializeGlobalInstance(new SynchronousStorage() as never);
  const chosen = Object.entries(scenarios).filter(([theme]) => themes.length === 0 || themes.includes(theme));
  const results: WebResult[] = [];
  for (const scenario of chosen.flatMap(([, list]) => list)) {
    const { lg, called } = watched(ours.lg);
    const ambient = (): string[] => [...called].toSorted();
    const { name } = scenario;
    try {
      const recording = await record(scenario, { name: "skein", lg });
      results.push({ name, recording, ambient: ambient() });
    } catch (error) {
      const failed = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      results.push({ name, failed, ambient: ambient() });
    }
  }
  return results;
}

(globalThis as { runScenarios?: typeof runScenarios }).runScenarios = runScenarios;
