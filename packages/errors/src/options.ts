import { GraphError } from "./graph-error.ts";
import { nearest } from "./near.ts";
import { shown } from "./shown.ts";

/** What a value is in JavaScript's terms; `any` is looked at by whoever takes it. */
export type OptionKind = keyof typeof KINDS;

const KINDS = {
  any: { words: "", is: () => true },
  boolean: { words: "true or false", is: (value: unknown) => typeof value === "boolean" },
  number: { words: "a number", is: (value: unknown) => typeof value === "number" },
  text: { words: "a text", is: (value: unknown) => typeof value === "string" },
  texts: { words: "a list of texts", is: isTexts },
  function: { words: "a function", is: (value: unknown) => typeof value === "function" },
  object: { words: "an object", is: isObject },
} as const;

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/**
 * Refuses options that there are not, because one that is misspelt would be passed over without a
 * word, and values of another kind.
 *
 * @param of - whose options they are
 * @param known - the kind of every option that there is; its type keeps it complete
 * @throws GraphError INVALID_CONFIGURATION; of an unknown option it names the nearest that there is
 *
 * @example
 * requireKnownOptions("recallMiddleware", { maxToken: 100 }, { maxTokens: "number", hits: "number" });
 * // recallMiddleware has no option "maxToken"; the nearest one that it has is "maxTokens".
 */
export function requireKnownOptions<T extends object>(
  of: string,
  options: T,
  known: Readonly<Record<keyof T, OptionKind>>,
): void {
  if (!isObject(options)) {
    throw new GraphError("INVALID_CONFIGURATION", `${of} takes an object of options, not ${shown(options)}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name)) {
      throw new GraphError(
        "INVALID_CONFIGURATION",
        `${of} has no option "${name}"; the nearest one that it has is "${nearest(name, Object.keys(known))}".`,
        { details: { option: name, known: Object.keys(known) } },
      );
    }
    const { is, words }: { is: (value: unknown) => boolean; words: string } = KINDS[known[name as keyof T]];
    if (is(value)) continue;
    throw new GraphError("INVALID_CONFIGURATION", `${name} of ${of} must be ${words}, not ${shown(value)}.`, {
      details: { option: name },
    });
  }
}
