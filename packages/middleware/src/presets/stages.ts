import type { AnyAgentMiddleware } from "@skein/agent";
import type { CompactionOptions } from "@skein/context";
import { humanInTheLoopMiddleware } from "../human-approval/index.ts";
import { loopGuardMiddleware } from "../loop-guard/index.ts";
import { modelCallLimitMiddleware } from "../model-call-limit/index.ts";
import { modelRetryMiddleware } from "../model-retry/index.ts";
import { toolCallLimitMiddleware } from "../tool-call-limit/index.ts";
import { toolRetryMiddleware } from "../tool-retry/index.ts";
import { nothingAround, summarizing, type Preset } from "./preset.ts";

/** What the preset `minimal` compacts by, to be changed in part: `{ ...MINIMAL, keep: { messages: 4 } }`. */
export const MINIMAL = {
  trigger: { messages: 8 },
  keep: { messages: 6 },
} as const satisfies CompactionOptions;

/** What the preset `development` compacts by, to be changed in part. */
export const DEVELOPMENT = {
  trigger: [{ messages: 40 }, { tokens: 32_000 }],
  keep: { messages: 20 },
  summaryTokens: 1_000,
} as const satisfies CompactionOptions;

/** What the preset `production` compacts by, to be changed in part. */
export const PRODUCTION = {
  trigger: [{ fraction: 0.6 }, { messages: 400 }],
  keep: { messages: 40 },
  summaryTokens: 2_000,
  background: true,
} as const satisfies CompactionOptions;

/** Of one run. */
export const PRODUCTION_LIMITS = { modelCalls: 50, toolCalls: 200, retries: 2 } as const;

export const minimal: Preset = {
  about: "8 messages, the last 6 stay: to see it work, or for very small windows",
  numbers: MINIMAL,
  context: (options) => [summarizing(MINIMAL, options)],
  around: nothingAround,
};

export const development: Preset = {
  about: "40 messages or 32,000 tokens, the last 20 stay; a model that repeats a failing call is stopped",
  numbers: DEVELOPMENT,
  context: (options) => [summarizing(DEVELOPMENT, options)],
  around: () => [loopGuardMiddleware({ onStuck: "stop" })],
};

export const production: Preset = {
  about: "0.6 of the window or 400 messages, the last 40 stay; limits and retries",
  numbers: PRODUCTION,
  context: (options) => [summarizing(PRODUCTION, options)],
  around: limitsAndRetries,
};

export const humanInTheLoop: Preset = {
  about: "production, and a person is asked before tools run",
  numbers: PRODUCTION,
  context: (options) => [summarizing(PRODUCTION, options)],
  // limits stand behind it, so that nobody is asked about calls that they refuse
  around: ({ interruptOn = "all" }) => [humanInTheLoopMiddleware({ interruptOn }), ...limitsAndRetries()],
};

export const none: Preset = {
  about: "the model sees everything",
  numbers: undefined,
  context: nothingAround,
  around: nothingAround,
};

function limitsAndRetries(): AnyAgentMiddleware[] {
  const { modelCalls, toolCalls, retries } = PRODUCTION_LIMITS;
  return [
    modelRetryMiddleware({ maxRetries: retries }),
    toolRetryMiddleware({ maxRetries: retries }),
    modelCallLimitMiddleware({ runLimit: modelCalls }),
    toolCallLimitMiddleware({ runLimit: toolCalls }),
    loopGuardMiddleware({ onStuck: "stop" }),
  ];
}
