import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import * as context from "../src/index.ts";

type Call = (...given: never[]) => unknown;

const message = new HumanMessage({ id: "h1", content: "hello" });
const messages = [message];
const counter = context.createTokenCounter();
const policy = context.compactionPolicy({ trigger: { messages: 8 }, keep: { messages: 6 } });
const shortening = { limit: 10, saveAtLeast: 1, counter };
const prefix = { after: null, count: 1, last: "h1", hash: "" };
const summary = { text: "s", tokens: 1, covered: [], originalTokens: 9, coveredUntil: null, madeAfter: null };
const NONE = [undefined, null, 5, Number.NaN, "x", {}, Symbol("s"), 10n, () => 1, true];

/** Where a list of messages is taken: the call, what stands behind it, and what is no list there. */
const LISTS: readonly [string, Call, ...unknown[]][] = [
  ["structureOf", context.structureOf],
  ["repair", context.repair],
  ["countOrphans", context.countOrphans],
  ["turnOf", context.turnOf],
  ["toolResults", context.toolResults],
  ["runLoops", context.runLoops],
  ["separateSystem", context.separateSystem],
  ["toOpenAI", context.toOpenAI],
  ["toAnthropic", context.toAnthropic],
  ["toGrouped", context.toGrouped],
  ["planCompaction", context.planCompaction, {}, policy],
  ["planCompression", context.planCompression, { ...shortening, keepTurns: 1 }],
  ["planOffloading", context.planOffloading, { limit: 10, keep: 1, counter }],
  ["planLoopView", context.planLoopView, { loops: 10, characters: 500, maxAge: 1_000, now: 0, counter }],
];

/** Of the ways to say it wrong, each with the code of its error. */
const OTHERS: readonly [string, string, () => unknown][] = [
  ...NONE.flatMap((none): [string, string, () => unknown][] => {
    const given = none as never;
    const name = String(none);
    return [
      [`textOf(${name})`, "INVALID_MESSAGE", () => context.textOf(given)],
      [`timestampOf(${name})`, "INVALID_MESSAGE", () => context.timestampOf(given)],
      [`finishReason(${name})`, "INVALID_MESSAGE", () => context.finishReason(given)],
      [`toRecorded(${name})`, "INVALID_MESSAGE", () => context.toRecorded(given)],
      [`markGrown(${name})`, "INVALID_MESSAGE", () => context.markGrown(given, given)],
      [`window of ${name}`, "INVALID_MESSAGE", () => context.coverage({ history: messages, window: given })],
      [`adopt(${name})`, "INVALID_INPUT", () => context.adopt(given, messages, {}, policy)],
      [
        `a policy that is ${name}`,
        "INVALID_CONFIGURATION",
        () => context.planCompaction(messages, {}, given),
      ],
      [`frameOverhead(${name})`, "INVALID_CONFIGURATION", () => context.frameOverhead(given)],
      [`fitTokens with ${name}`, "INVALID_CONFIGURATION", () => context.fitTokens("text", 5, given)],
    ];
  }),
  ...NONE.filter((none) => typeof none !== "string").flatMap((none): [string, string, () => unknown][] => {
    const given = none as never;
    const name = String(none);
    return [
      [`estimateTokens(${name})`, "INVALID_INPUT", () => context.estimateTokens(given)],
      [`escapeTags(${name})`, "INVALID_INPUT", () => context.escapeTags(given)],
      [`frameText(${name})`, "INVALID_INPUT", () => context.frameText(given)],
      [`unframeText(${name})`, "INVALID_INPUT", () => context.unframeText(given)],
      [`fillTemplate(${name})`, "INVALID_INPUT", () => context.fillTemplate(given, {})],
      [`fromJsonLines(${name})`, "INVALID_INPUT", () => context.fromJsonLines(given)],
      [`compressOutput(${name})`, "INVALID_INPUT", () => context.compressOutput(given, 5, counter)],
    ];
  }),
  ["conversations that are null", "INVALID_INPUT", () => context.toJsonLines([null as never])],
  ["one conversation", "INVALID_INPUT", () => context.toJsonLines({ id: "1", messages } as never)],
  ["coverage(null)", "INVALID_CONFIGURATION", () => context.coverage(null as never)],
  ["a misspelt option of coverage", "INVALID_CONFIGURATION", () => context.coverage({ histry: [] } as never)],
  [
    "covered that is one id",
    "INVALID_INPUT",
    () => context.coverage({ history: messages, window: [], covered: "h1" }),
  ],
  ["a state that is null", "INVALID_INPUT", () => context.planCompaction(messages, null as never, policy)],
  [
    "tokens of a state as a BigInt",
    "INVALID_INPUT",
    () => context.planCompaction(messages, { fixedTokens: 5n as never }, policy),
  ],
  ["planAhead(null)", "INVALID_MESSAGE", () => context.planAhead(null as never, {}, policy)],
  ["seemsPrefix(null)", "INVALID_INPUT", () => context.seemsPrefix(null as never, messages)],
  ["seemsPrefix in [null]", "INVALID_MESSAGE", () => context.seemsPrefix(prefix, [null as never])],
  ["an asker that is a text", "INVALID_INPUT", () => context.repair(messages, "me" as never)],
  ["a budget of a BigInt", "INVALID_CONFIGURATION", () => context.budgetOf({}, 100, 5n as never)],
  ["a window that is an object", "INVALID_CONFIGURATION", () => context.budgetOf({}, {} as never, 5)],
  ["no limits of a summary", "INVALID_INPUT", () => context.checkSummary("x", 1, undefined as never)],
  ["a summary's limits without figures", "INVALID_INPUT", () => context.checkSummary("x", 1, {} as never)],
  [
    "a summary of NaN tokens",
    "INVALID_INPUT",
    () => context.nextSummary(undefined, { ...summary, tokens: Number.NaN, now: 1, by: "me" }),
  ],
  ["nextSummary(null)", "INVALID_INPUT", () => context.nextSummary(null as never, null as never)],
  ["addVersion(null)", "INVALID_MESSAGE", () => context.addVersion(null as never, null as never)],
  ["no limits of tries", "INVALID_INPUT", () => context.readiness(undefined, null, {} as never, 0)],
  [
    "frameSummary as an assistant",
    "INVALID_INPUT",
    () => context.frameSummary({ messageId: "m", text: "s" }, "assistant" as never),
  ],
  [
    "a misspelt option of toOpenAI",
    "INVALID_CONFIGURATION",
    () => context.toOpenAI([], { metdata: true } as never),
  ],
  ["a line that is an object", "INVALID_INPUT", () => context.fromRecorded("{}", null as never)],
  [
    "promptSummarizer without a maximum",
    "INVALID_CONFIGURATION",
    () => context.promptSummarizer({ ask: async () => "s", counter } as never),
  ],
];

const error = (code: string) => expect.objectContaining({ name: "GraphError", code }) as unknown as Error;

describe("what can't be meant has a code (issue 3, bad input)", () => {
  it.each(LISTS)("%s takes a list of messages, and names what is none", (_, call, ...rest) => {
    const given = call as (...args: unknown[]) => unknown;
    for (const none of NONE) expect(() => given(none, ...rest)).toThrow(error("INVALID_MESSAGE"));
    expect(() => given([message, null], ...rest)).toThrow(/at 1 stands null/);
    expect(() => given(messages, ...rest)).not.toThrow();
  });

  it.each(OTHERS)("%s is %s", (_, code, call) => {
    expect(call).toThrow(error(code));
  });

  it("guards take anything", () => {
    const guards = [context.isCutOff, context.isMarkedSummary, context.isRecallOutput] as readonly Call[];
    for (const guard of guards) for (const none of NONE) expect(guard(none as never)).toBe(false);
    for (const none of NONE) expect(context.shortenedMark(none as never)).toBeUndefined();
  });

  it("an encoding that is one of Object's own is none", async () => {
    await expect(context.loadTiktoken("constructor" as never)).rejects.toEqual(
      error("INVALID_CONFIGURATION"),
    );
  });
});
