import { SystemMessage } from "@langchain/core/messages";
import { createMiddleware, type AgentBuiltInState, type Runtime } from "@skein/agent";
import { GraphError } from "@skein/errors";
import { invalidOption } from "../shared/checks.ts";
import { withParagraph } from "../shared/messages.ts";

/** Makes a system prompt from the state and the run. */
export type DynamicSystemPrompt<TContext = unknown> = (
  state: AgentBuiltInState,
  runtime: Runtime<TContext>,
) => string | SystemMessage | Promise<string | SystemMessage>;

/**
 * Adds to the agent's system prompt what a function says, at every call of the model. `""` adds nothing.
 *
 * @throws GraphError INVALID_CONFIGURATION for what is no function; INVALID_MIDDLEWARE from a run when the function returns something else; what it
 *   throws ends the run, because a prompt may hold rules (E3)
 *
 * @example
 * createAgent({
 *   model,
 *   middleware: [dynamicSystemPromptMiddleware((_state, { configurable }) => `User: ${configurable?.user}`)],
 * });
 */
export function dynamicSystemPromptMiddleware<TContext = unknown>(prompt: DynamicSystemPrompt<TContext>) {
  if (typeof (prompt as unknown) !== "function") {
    throw invalidOption(
      "dynamicSystemPromptMiddleware takes a function that makes the prompt; a text that stays the same is createAgent's systemPrompt.",
    );
  }
  return createMiddleware({
    name: "DynamicSystemPromptMiddleware",
    wrapModelCall: async (request, handler) => {
      const given: unknown = await prompt(request.state, request.runtime as Runtime as Runtime<TContext>);
      if (given === "") return handler(request);
      return handler({ ...request, systemMessage: add(request.systemMessage, given) });
    },
  });
}

function add(prompt: SystemMessage, given: unknown): SystemMessage {
  if (typeof given === "string") return withParagraph(prompt, given);
  if (SystemMessage.isInstance(given)) {
    if (given.content.length === 0) return prompt;
    return prompt.content.length === 0 ? given : prompt.concat(asParagraph(given));
  }
  throw new GraphError(
    "INVALID_MIDDLEWARE",
    `The function of dynamicSystemPromptMiddleware returned ${typeof given}; it must return a string or a SystemMessage.`,
  );
}

/** Blocks are paragraphs already; a text would be joined to the one before without a space. */
function asParagraph(given: SystemMessage): SystemMessage {
  const { content, additional_kwargs } = given;
  return typeof content === "string"
    ? new SystemMessage({ content: `\n\n${content}`, additional_kwargs })
    : given;
}
