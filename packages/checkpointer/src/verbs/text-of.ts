/** What a person would read in an element: a message's text and the arguments of its calls; else all texts that it holds. */
export function textOf(element: unknown): string {
  const texts: string[] = [];
  const content = isObject(element) && "content" in element ? element["content"] : undefined;
  if (content === undefined) collect(element, texts, 0);
  else {
    collect(content, texts, 0);
    collectArguments((element as { tool_calls?: unknown }).tool_calls, texts);
  }
  return texts.join("\n");
}

function collectArguments(calls: unknown, texts: string[]): void {
  if (!Array.isArray(calls)) return;
  for (const call of calls as unknown[]) if (isObject(call)) collect(call["args"], texts, 0);
}

const MAX_DEPTH = 32;
/** Keys whose texts nobody wrote: they name things, or are bytes. */
const NAMES = new Set(["id", "type", "index", "data", "url", "mime_type", "mimeType", "source_type"]);

function collect(value: unknown, texts: string[], depth: number): void {
  if (typeof value === "string") texts.push(value);
  else if (depth >= MAX_DEPTH) return;
  else if (Array.isArray(value)) for (const child of value as unknown[]) collect(child, texts, depth + 1);
  else if (isObject(value)) {
    for (const key of Object.keys(value)) if (!NAMES.has(key)) collect(value[key], texts, depth + 1);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
