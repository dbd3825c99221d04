import { compactionPolicy, createTokenCounter } from "@skein/context";
import { GraphError } from "@skein/errors";
import { describe, expect, it } from "vitest";
import * as fileSearch from "../src/file-search/index.ts";
import * as exported from "../src/index.ts";
import * as opentelemetry from "../src/opentelemetry/index.ts";
import * as shell from "../src/shell/index.ts";

const all = { ...exported, ...fileSearch, ...shell, ...opentelemetry };

type Options = Record<string, unknown>;
type Factory = (options: Options) => unknown;

const extractive = { summarizer: "extractive", trigger: { messages: 30 } };

/** Every function that takes options, with options that work and its other ones. */
const FACTORIES: Readonly<Record<string, readonly [Factory, Options, string]>> = {
  compactionPolicy: [
    compactionPolicy as unknown as Factory,
    { trigger: { messages: 30 } },
    "keep target max window summaryTokens budgets startAbove preserveSystem summarize background tries cooldown counter usage now",
  ],
  createTokenCounter: [createTokenCounter as unknown as Factory, {}, "tokenizer imageTokens countMessage"],
  ...middleware(
    "summarizationMiddleware",
    extractive,
    "keep target max window budgets tokenCounter fallback placement onEvent restore timeout background maxInputTokens summaryPrompt",
  ),
  ...middleware(
    "summarizationNode",
    extractive,
    "keep target max window tokenCounter fallback placement onEvent",
  ),
  ...middleware(
    "toolOutputCompressionMiddleware",
    {},
    "limit keepTurns excludeTools saveAtLeast tokenCounter restore",
  ),
  ...middleware("toolOutputOffloadingMiddleware", {}, "limit keep excludeTools tokenCounter restore"),
  ...middleware("contextEditingMiddleware", {}, "edits window tokenCounter restore"),
  ClearToolUsesEdit: [
    (options) => new all.ClearToolUsesEdit(options),
    {},
    "trigger keep clearToolInputs excludeTools placeholder saveAtLeast",
  ],
  ...middleware("runLoopsMiddleware", {}, "loops characters maxAge now restore"),
  ...middleware("recallMiddleware", {}, "maxTokens hits hitTokens systemPrompt tokenCounter"),
  ...middleware("humanInTheLoopMiddleware", {}, "interruptOn descriptionPrefix"),
  ...middleware("modelCallLimitMiddleware", {}, "threadLimit runLimit exitBehavior"),
  ...middleware("toolCallLimitMiddleware", { runLimit: 3 }, "toolName threadLimit exitBehavior"),
  ...middleware("modelRetryMiddleware", {}, "maxRetries backoffFactor initialDelayMs maxDelayMs jitter"),
  ...middleware("toolRetryMiddleware", {}, "maxRetries backoffFactor initialDelayMs maxDelayMs jitter"),
  piiMiddleware: [
    (options) => all.piiMiddleware("email", options),
    {},
    "strategy applyToInput applyToOutput",
  ],
  ...middleware("llmToolSelectorMiddleware", {}, "systemPrompt maxTools alwaysInclude"),
  ...middleware("todoListMiddleware", {}, "systemPrompt toolDescription"),
  ...middleware("toolEmulatorMiddleware", {}, ""),
  ...middleware("fileSearchMiddleware", { rootPath: "." }, "maxFileSizeMb maxResults timeout ignore dot"),
  ...middleware(
    "shellToolMiddleware",
    { workspaceRoot: "." },
    "timeout maxOutputLines maxOutputChars commands allow env toolName toolDescription",
  ),
  ...middleware("loopGuardMiddleware", {}, "identicalFailures consecutiveFailures errors window onStuck"),
  ...middleware("openTelemetryMiddleware", {}, "tracer recordContent"),
  ...Object.fromEntries(
    all.PRESET_NAMES.map((name): [string, readonly [Factory, Options, string]] => [
      `presetMiddleware("${name}")`,
      [
        (options) => all.presetMiddleware(name, options),
        {},
        "window tokenCounter summarize onEvent now restore",
      ],
    ]),
  ),
};

function middleware(name: keyof typeof all, works: Options, others: string) {
  return { [name]: [all[name] as unknown as Factory, works, others] as const };
}

/** The message of the refusal; anything else that happened in brackets. */
function refusal(make: () => unknown): string {
  try {
    make();
    return "(taken)";
  } catch (error) {
    const isRefusal = error instanceof GraphError && error.code === "INVALID_CONFIGURATION";
    return isRefusal ? error.message : `(${String(error)})`;
  }
}

const NONSENSE = [null, Symbol("x"), -1.5, "no such text", { nothing: 1 }];

/** What may be any text or any object, and what most presets leave aside and do not look into. */
function isTaken(option: string, value: unknown, name: string): boolean {
  if (name.startsWith("presetMiddleware") && option === "tokenCounter") return true;
  if (value === null || typeof value === "symbol") return false;
  if (typeof value === "string" && /prompt|prefix|placeholder|description|toolName/iu.test(option))
    return true;
  if (typeof value === "object" && /^(?:tracer|env)$/u.test(option)) return true;
  return name.startsWith("presetMiddleware");
}

describe.each(Object.entries(FACTORIES))("%s", (name, [make, works, others]) => {
  const options = others.split(" ").filter((one) => one !== "");

  it("refuses an option that there is not, and names the nearest", () => {
    const known = Object.keys(works)[0] ?? options[0] ?? "model";
    expect(refusal(() => make({ ...works, [`${known}z`]: 1 }))).toContain(
      `has no option "${known}z"; the nearest one that it has is "${known}"`,
    );
  });

  it("refuses values that mean nothing, instead of a raw error", () => {
    const wrong = [null, [], 5].map((given) => [String(given), refusal(() => make(given as never))]);
    for (const option of options) {
      for (const value of NONSENSE.filter((one) => !isTaken(option, one, name)))
        wrong.push([`${option} ${String(value)}`, refusal(() => make({ ...works, [option]: value }))]);
    }
    expect(wrong.filter(([, message]) => message?.startsWith("("))).toEqual([]);
    expect(refusal(() => make(works))).toBe("(taken)");
  });
});

it("names are found by letters put in, taken out and exchanged", () => {
  expect(refusal(() => all.presetMiddleware("thresholds", { wndow: 1 } as never))).toBe(
    'presetMiddleware("thresholds") has no option "wndow"; the nearest one that it has is "window".',
  );
});

it("a page of recall may be smaller than the usual hit", () => {
  expect(exported.recallMiddleware({ maxTokens: 64 }).tools).toHaveLength(2);
});

it.each([
  ["modelFallbackMiddleware", [undefined], exported.modelFallbackMiddleware],
  ["modelFallbackMiddleware", [[]], exported.modelFallbackMiddleware],
  ["modelFallbackMiddleware", [{}], exported.modelFallbackMiddleware],
  ["dynamicSystemPromptMiddleware", [undefined], exported.dynamicSystemPromptMiddleware],
  ["dynamicSystemPromptMiddleware", ["You are kind."], exported.dynamicSystemPromptMiddleware],
] as const)("%s refuses %j at once", (name, given, make) => {
  const call = (): unknown => (make as (...given: unknown[]) => unknown)(...given);
  expect(call).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIGURATION", message: expect.stringContaining(name) }),
  );
});
