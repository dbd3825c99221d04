import { GraphError, type OptionKind, requireKnownOptions, shown } from "@skein/errors";
import type { ThreadPosition } from "./backend.ts";
import { refuseSerializer } from "./serializer.ts";

/** An id of a thread, which may be given as a number. @throws GraphError INVALID_CONFIGURATION */
export function givenThreadId(value: unknown): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw wrong("The id of a thread", "a string", value);
}

/** An id for a thread that is not there yet: without one it would never be run. @throws GraphError INVALID_CONFIGURATION */
export function givenNewThreadId(value: unknown): string {
  return givenId(givenThreadId(value), "The id of a new thread");
}

/** @throws GraphError INVALID_CONFIGURATION */
export function givenText(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw wrong(what, "a string", value);
}

/** @throws GraphError INVALID_CONFIGURATION */
export function givenId(value: unknown, what: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw wrong(what, "a string that is not empty", value);
}

/** How many; Infinity for all. @throws GraphError INVALID_CONFIGURATION */
export function givenCount(value: unknown, what: string, least = 0): number {
  const count = value === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : value;
  if (Number.isSafeInteger(count) && (count as number) >= least) return count as number;
  throw wrong(what, `a whole number, ${least} or more`, value);
}

/** The most that one page holds: of a page of nothing the next would begin where it did. @throws GraphError INVALID_CONFIGURATION */
export function givenPageLimit(value: unknown): number {
  return givenCount(value, "The limit of a page", 1);
}

/** @throws GraphError INVALID_CONFIGURATION */
export function givenOptions<Options extends object>(value: Options, of: string): Options {
  if (typeof value === "object" && (value as Options | null) !== null) return value;
  throw wrong(`What ${of} is told`, "an object of options", value);
}

/** Where a page of threads begins. @throws GraphError INVALID_CONFIGURATION */
export function givenPosition(value: ThreadPosition | undefined): ThreadPosition | undefined {
  const { updatedAt, threadId } = (value ?? {}) as Partial<ThreadPosition>;
  if (value === undefined || (typeof updatedAt === "string" && typeof threadId === "string")) return value;
  throw wrong("before", "the last thread of the page before", value);
}

/** Options that are all known: one that is misspelt would be passed over, and delete more. */
export function knownOptions<Options extends object>(
  value: Options,
  of: string,
  known: Readonly<Record<keyof Options, OptionKind>>,
): Options {
  requireKnownOptions(of, givenOptions(value, of), known);
  const { now = 0 } = value as { readonly now?: unknown };
  if (typeof now === "number" && Number.isNaN(new Date(now).getTime()))
    throw wrong("The time", "milliseconds since 1970", now);
  return value;
}

/** What a saver is told. @throws GraphError INVALID_CONFIGURATION */
export function savingOptions<Options extends { readonly codec?: unknown; readonly tenant?: unknown }>(
  given: Options | null | undefined,
): Options {
  const options = givenOptions(given ?? ({} as Options), "a saver");
  refuseSerializer(options, "a saver of Skein");
  const { codec, tenant } = options;
  if (codec !== undefined && typeof (codec as { encode?: unknown } | null)?.encode !== "function")
    throw wrong("The codec of a saver", "one that createCodec made", codec);
  if (tenant !== undefined) givenText(tenant, "A tenant");
  return options;
}

function wrong(what: string, wanted: string, value: unknown): GraphError {
  const given = shown(value);
  return new GraphError(
    "INVALID_CONFIGURATION",
    `${what} must be ${wanted}; ${given} was given. Nothing was changed.`,
    { details: { given } },
  );
}
