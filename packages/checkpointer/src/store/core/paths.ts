/**
 * Texts of a value that a path names: `title`, `meta.title`, `chapters[*].body`, `authors[0]`,
 * `list[-1]`, `{title,meta.author}`, `*`, and `$` for the whole value.
 */
export function textsAt(value: unknown, path: string): string[] {
  if (path === "$" || path === "") return asText(value);
  return reach([value], stepsOf(path)).flatMap(asText);
}

/** Texts, numbers and booleans anywhere in a value, without the names of its fields. */
export function leavesOf(value: unknown): string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) texts.push(...asText(next));
    else for (const part of partsOf(next).toReversed()) open.push(part);
  }
  return texts;
}

function partsOf(value: object): unknown[] {
  if (ArrayBuffer.isView(value)) return [];
  return value instanceof Map || value instanceof Set ? [...value.values()] : Object.values(value);
}

const STEP = /\[(?<index>[^\]]*)\]|\{(?<fields>[^}]*)\}|(?<name>[^.[\]{}]+)/g;

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "fields"; readonly paths: readonly Step[][] }
  | { readonly kind: "elements" }
  | { readonly kind: "every" };

function stepsOf(path: string): Step[] {
  return [...path.matchAll(STEP)].map(({ groups }): Step => {
    const { index, fields, name } = groups ?? {};
    if (index === "*") return { kind: "elements" };
    if (index !== undefined) return { kind: "index", index: Number.parseInt(index, 10) };
    if (fields !== undefined)
      return { kind: "fields", paths: fields.split(",").map((each) => stepsOf(each.trim())) };
    return name === "*" ? { kind: "every" } : { kind: "field", name: name ?? "" };
  });
}

function reach(values: readonly unknown[], steps: readonly Step[]): unknown[] {
  return steps
    .reduce<readonly unknown[]>((found, step) => found.flatMap((value) => take(value, step)), values)
    .slice();
}

function take(value: unknown, step: Step): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  switch (step.kind) {
    case "field":
      return Object.hasOwn(value, step.name) ? [(value as Record<string, unknown>)[step.name]] : [];
    case "index": {
      // `at` takes what is no number for 0
      const isThere = Array.isArray(value) && !Number.isNaN(step.index);
      const element: unknown = isThere ? value.at(step.index) : undefined;
      return element === undefined ? [] : [element];
    }
    case "elements":
      return Array.isArray(value) ? value : [];
    case "every":
      return Object.values(value);
    case "fields":
      return step.paths.flatMap((steps) => reach([value], steps));
  }
}

function asText(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return [JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part), 2)];
}
