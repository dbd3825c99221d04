/** Where the SDK's `overrideFetchImplementation` puts what it is given. */
const OVERRIDE = Symbol.for("lg:fetch_implementation");

/**
 * `fetch` for the SDK, which tries a request again for twenty seconds though it is aborted, and keeps the
 * process alive for it: only an error with this text ends it.
 */
export async function fetchUntilAborted(
  ...request: Parameters<typeof fetch>
): Promise<Awaited<ReturnType<typeof fetch>>> {
  const { [OVERRIDE]: override = fetch } = globalThis as { [OVERRIDE]?: typeof fetch };
  try {
    return await override(...request);
  } catch (cause) {
    if (request[1]?.signal?.aborted !== true) throw cause;
    throw new Error("AbortError: nobody waits for this request any longer", { cause });
  }
}
