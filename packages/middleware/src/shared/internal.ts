/** Tags that keep a model's tokens out of the run's message stream: the user must not read along. */
const INTERNAL_TAGS = ["langsmith:nostream", "nostream"];

/** Configuration of a call that a middleware makes of a model for itself. */
export function internalCall(
  source: string,
  signal: AbortSignal | undefined,
): { tags: string[]; metadata: { lc_source: string }; signal?: AbortSignal } {
  return {
    tags: INTERNAL_TAGS,
    metadata: { lc_source: source },
    ...(signal === undefined ? {} : { signal }),
  };
}
