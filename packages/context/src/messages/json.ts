/** As JSON, in which a BigInt is its digits. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === "bigint" ? String(one) : one));
}

/** What a tool was called with. */
export function argumentsText(args: unknown): string {
  try {
    return JSON.stringify(args ?? {});
  } catch {
    return jsonOf(args);
  }
}
