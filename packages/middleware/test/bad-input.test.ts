import { describe, expect, it } from "vitest";
import * as stock from "../src/index.ts";
import { OpenTelemetryHandler, openTelemetryMiddleware } from "../src/opentelemetry/index.ts";
import { shellToolMiddleware } from "../src/shell/index.ts";

const NONE = [null, 5, Number.NaN, [], [null], Symbol("s"), 10n, true];
const error = (code: string) => expect.objectContaining({ name: "GraphError", code }) as unknown as Error;
const model = { invoke: async () => "short" };
const trigger = { messages: 40 };
const DETECTORS = [
  stock.detectCreditCard,
  stock.detectEmail,
  stock.detectIP,
  stock.detectMacAddress,
  stock.detectUrl,
];

/** What is set wrong, each with words of the message that says so. */
const OPTIONS: readonly [string, RegExp, () => unknown][] = [
  ...NONE.flatMap((none): [string, RegExp, () => unknown][] => {
    const given = none as never;
    const name = typeof none === "object" ? JSON.stringify(none) : String(none);
    return [
      [`shellToolMiddleware(${name})`, /options|workspaceRoot/, () => shellToolMiddleware(given)],
      [`a shell in ${name}`, /workspaceRoot/, () => shellToolMiddleware({ workspaceRoot: given })],
      [`a detector that is ${name}`, /detector/, () => stock.piiMiddleware("x", { detector: given })],
      [
        `emulated tools ${name}`,
        /tool/i,
        () => stock.toolEmulatorMiddleware({ model, tools: given } as never),
      ],
      [`summaryDerivations(${name})`, /options/, () => stock.summaryDerivations(given)],
      [`new OpenTelemetryHandler(${name})`, /options/, () => new OpenTelemetryHandler(given)],
      [`a tracer that is ${name}`, /tracer/, () => openTelemetryMiddleware({ tracer: given })],
      [
        `tokens counted by ${name}`,
        /tokenCounter/,
        () => stock.summarizationMiddleware({ summarizer: "extractive", trigger, tokenCounter: given }),
      ],
      [
        `an approval that waits for ${name}`,
        /timeout/,
        () => stock.humanInTheLoopMiddleware({ interruptOn: { t: true }, timeout: given }),
      ],
    ];
  }).filter(([name]) => !name.endsWith(" []") && name !== "emulated tools null"),
  ...["raise", "return_message", 3].flatMap((onFailure): [string, RegExp, () => unknown][] => [
    [`a model's failure ${onFailure}`, /onFailure/, () => stock.modelRetryMiddleware({ onFailure } as never)],
    [`a tool's failure ${onFailure}`, /onFailure/, () => stock.toolRetryMiddleware({ onFailure } as never)],
  ]),
  ["errors that are names", /retryOn/, () => stock.modelRetryMiddleware({ retryOn: ["Error"] } as never)],
  ["errors that are a name", /retryOn/, () => stock.toolRetryMiddleware({ retryOn: "Error" } as never)],
  ["a detector that is no pattern", /regular expression/, () => stock.piiMiddleware("x", { detector: "(" })],
  [
    "an edit's plan of nothing",
    /messages/,
    () => new stock.ClearToolUsesEdit().plan(null as never, null as never),
  ],
  [
    "an edit's plan without a scope",
    /counter, tokens, window/,
    () => new stock.ClearToolUsesEdit().plan([], {} as never),
  ],
];

describe("what can't be meant has a code (issue 3, bad input)", () => {
  it.each(OPTIONS)("%s", (_, words, call) => {
    expect(call).toThrow(error("INVALID_CONFIGURATION"));
    expect(call).toThrow(words);
  });

  it("detectors look through texts", () => {
    for (const detect of DETECTORS)
      for (const none of [undefined, {}, ...NONE])
        expect(() => detect(none as never)).toThrow(error("INVALID_INPUT"));
  });

  it("what is no state is not summarizing, and has no summary to be in force", () => {
    for (const none of [undefined, {}, ...NONE]) {
      expect(stock.isSummarizing(none as never)).toBe(false);
      expect(() => stock.summaryInForce(none as never)).toThrow(error("INVALID_INPUT"));
    }
  });

  it.each([
    ["summaryPrompt", "Sum up {messages}"],
    ["maxInputTokens", 5_000],
  ])("%s is refused where no model is asked: it would be passed over", (option, value) => {
    const without = { trigger, [option]: value };
    for (const more of [{ summarizer: "extractive" }, { summarizer: () => "s" }, { summarize: false }]) {
      const options = { ...without, ...more } as stock.SummarizationOptions;
      expect(() => stock.summarizationMiddleware(options)).toThrow(error("INVALID_CONFIGURATION"));
      expect(() => stock.summarizationNode(options)).toThrow(
        new RegExp(`${option} is for summaries that a model`),
      );
    }
    expect(() => stock.summarizationMiddleware({ ...without, model } as never)).not.toThrow();
    expect(() => stock.presetMiddleware("production", { summaryPrompt: "{messages}" })).toThrow(
      error("INVALID_CONFIGURATION"),
    );
  });
});
