const digits = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

/** As JSON, in which a BigInt is its digits. */
export function jsonOf(value: unknown, indent?: number): string {
  return JSON.stringify(value, digits, indent);
}

/**
 * What a tool was called with, as JSON in which a BigInt is its digits.
 *
 * @param indent - spaces of each level. Default: one line
 *
 * @example
 * argumentsText({ id: 2n ** 64n }); // {"id":"18446744073709551616"}
 */
export function argumentsText(args: unknown, indent?: number): string {
  try {
    // a replacer makes it several times as slow
    return JSON.stringify(args ?? {}, undefined, indent);
  } catch {
    return jsonOf(args, indent);
  }
}
