import {
  AIMessage,
  HumanMessage,
  ToolMessage,
  type BaseMessage,
  type MessageContent,
} from "@langchain/core/messages";
import { createMiddleware } from "@skein/agent";
import { z } from "zod";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { invalidOption, requireChoice } from "../shared/checks.ts";
import { withContent } from "../shared/messages.ts";
import { detectorFor, type PIIDetector } from "./detectors.ts";
import { replacedMark, replacedTypes } from "./mark.ts";
import { PIIDetectionError, replaceMatches, STRATEGIES, type PIIStrategy } from "./strategies.ts";

/** Options; the three `applyTo...` may also stand in a run's `context`, which goes first. */
export interface PIIMiddlewareOptions {
  /**
   * What is done with what is found. `"redact"` (default): `[REDACTED_EMAIL]`. `"mask"`: all but the
   * end. `"hash"`: `<email_hash:8 digits>`, the same for the same text. `"block"`: the run throws
   * {@link PIIDetectionError}.
   */
  strategy?: PIIStrategy;
  /** A regular expression or a function. Default: the built-in one of that type. */
  detector?: string | RegExp | PIIDetector;
  /** Messages of the user. Default: true. */
  applyToInput?: boolean;
  /** Replies of the model, once they are whole, and those that stand in the context already. Default: false. */
  applyToOutput?: boolean;
  /** Default: false. */
  applyToToolResults?: boolean;
}

const contextSchema = z.object({
  applyToInput: z.boolean().optional(),
  applyToOutput: z.boolean().optional(),
  applyToToolResults: z.boolean().optional(),
});

const OPTIONS: Readonly<Record<keyof PIIMiddlewareOptions, OptionKind>> = {
  strategy: "any",
  detector: "any",
  applyToInput: "boolean",
  applyToOutput: "boolean",
  applyToToolResults: "boolean",
};

/**
 * Keeps personal data away from the model and out of the thread's newest state. What is found is
 * replaced in both tracks; what was said stays as an earlier revision, and in earlier checkpoints, until
 * the message is erased.
 *
 * It fails closed (E3): what a detector throws ends the run before the model is called.
 *
 * @param piiType - `"email"`, `"credit_card"`, `"ip"`, `"mac_address"`, `"url"`, or a name of your own
 *   together with a `detector`
 * @throws GraphError INVALID_CONFIGURATION
 *
 * @example
 * createAgent({
 *   model,
 *   middleware: [
 *     piiMiddleware("email"),
 *     piiMiddleware("api_key", { detector: /sk-[a-z0-9]{32}/, strategy: "block", applyToToolResults: true }),
 *   ],
 * });
 */
export function piiMiddleware(piiType: string, options: PIIMiddlewareOptions = {}) {
  requireKnownOptions("piiMiddleware", options, OPTIONS);
  const { strategy = "redact" } = options;
  if (typeof piiType !== "string" || piiType === "") throw invalidOption("piiMiddleware needs a type.");
  requireChoice("strategy", strategy, STRATEGIES);
  const check = checker(detectorFor(piiType, options.detector), strategy, piiType);
  return createMiddleware({
    name: `PIIMiddleware[${piiType}]`,
    contextSchema,
    beforeModel: ({ messages }, { context }) => {
      const input = context.applyToInput ?? options.applyToInput ?? true;
      const results = context.applyToToolResults ?? options.applyToToolResults ?? false;
      // replies that no hook saw: half of one, an imported one, one that was refused
      const output = context.applyToOutput ?? options.applyToOutput ?? false;
      return check(
        messages.filter(
          (one) =>
            (input && HumanMessage.isInstance(one)) ||
            (results && ToolMessage.isInstance(one)) ||
            (output && AIMessage.isInstance(one)),
        ),
      );
    },
    afterModel: ({ messages }, { context }) => {
      if (!(context.applyToOutput ?? options.applyToOutput ?? false)) return undefined;
      // a structured response puts a message of its own behind the reply that gave it
      const asked = messages.findLastIndex((one) => HumanMessage.isInstance(one));
      return check(messages.slice(asked + 1).filter((one) => AIMessage.isInstance(one)));
    },
  });
}

type Check = (messages: readonly BaseMessage[]) => Promise<{ messages: BaseMessage[] } | undefined>;

/** Messages that were found clean are not searched again, nor what this very type was replaced in. */
function checker(detect: PIIDetector, strategy: PIIStrategy, piiType: string): Check {
  const clean = new WeakSet<BaseMessage>();
  const cleaned = async (text: string, id: string | undefined): Promise<string> => {
    const matches = detect(text);
    if (matches.length === 0) return text;
    if (strategy === "block") throw new PIIDetectionError(piiType, matches, id);
    return replaceMatches(text, matches, strategy, piiType);
  };
  return async (messages) => {
    const changed: BaseMessage[] = [];
    for (const message of messages) {
      if (clean.has(message)) continue;
      const replaced = await replacedTypes(message);
      const content = replaced.includes(piiType)
        ? message.content
        : await mapText(message.content, (text) => cleaned(text, message.id));
      if (content === message.content) {
        clean.add(message);
        continue;
      }
      // the class of a message may keep its content in another form
      const { content: kept } = withContent(message, content);
      changed.push(withContent(message, content, await replacedMark([...replaced, piiType], kept)));
    }
    return changed.length === 0 ? undefined : { messages: changed };
  };
}

/** The same content, itself if no text of it changes. */
async function mapText(
  content: MessageContent,
  map: (text: string) => Promise<string>,
): Promise<MessageContent> {
  if (typeof content === "string") return map(content);
  const blocks = await Promise.all(
    content.map(async (block) => {
      const { text } = block as { text?: unknown };
      if (typeof text !== "string") return block;
      const mapped = await map(text);
      return mapped === text ? block : { ...block, text: mapped };
    }),
  );
  return blocks.every((block, at) => block === content[at]) ? content : (blocks as MessageContent);
}
