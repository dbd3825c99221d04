/** For a copy of a message that is said again: the first one was recorded with its time. */
export function untimed({ timestamp: _then, ...kwargs }: Record<string, unknown>): Record<string, unknown> {
  return kwargs;
}
