import { GraphError, shown } from "@skein/errors";

export function invalidConfiguration(why: string, details: Record<string, unknown> = {}): GraphError {
  return new GraphError("INVALID_CONFIGURATION", `Compaction cannot be configured like this: ${why}.`, {
    details,
  });
}

export function requireWhole(name: string, value: unknown): void {
  if (!Number.isInteger(value) || (value as number) < 1) {
    throw invalidConfiguration(`${name} must be a whole number of at least 1, not ${shown(value)}`, {
      name,
    });
  }
}

export function requirePositive(name: string, value: unknown): void {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
    throw invalidConfiguration(`${name} must be a number above 0, not ${shown(value)}`, { name });
  }
}

export function requireFraction(name: string, value: unknown): void {
  if (typeof value !== "number" || !(value > 0 && value <= 1)) {
    throw invalidConfiguration(`${name} must be above 0 and at most 1, not ${shown(value)}`, { name });
  }
}
