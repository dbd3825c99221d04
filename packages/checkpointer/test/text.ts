/** The content of the n-th message that a test's worker stores. */
export function text(n: number): string {
  return `message ${n} `.repeat(40);
}
