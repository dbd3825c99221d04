import { vi } from "vitest";

/** Ours and LangChain's, by the file that asks for the timer. */
const OF_A_RETRY = /[\\/](shared[\\/]backoff\.ts|agents[\\/]middleware[\\/]utils\.js)\b/;

/**
 * What retries wait for, in milliseconds, from now until `vi.unstubAllGlobals()`; none of them is waited for.
 * Timers of others are left alone, such as those of a pool that an earlier file has opened.
 */
export function retriesWaits(): readonly number[] {
  const waits: number[] = [];
  const real = globalThis.setTimeout;
  vi.stubGlobal("setTimeout", (go: () => void, ms: number) => {
    // the error's own line, this function's, and that of its caller
    const [, , caller = ""] = (new Error("who waits").stack ?? "").split("\n");
    if (!OF_A_RETRY.test(caller)) return real(go, ms);
    waits.push(ms);
    return real(go, 0);
  });
  return waits;
}
