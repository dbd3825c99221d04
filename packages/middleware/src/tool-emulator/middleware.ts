import { HumanMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { createMiddleware, modelResolver, type AgentLanguageModelLike, type AgentTool } from "@skein/agent";
import { argumentsText } from "@skein/context";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { invalidOption, requireModel } from "../shared/checks.ts";
import { internalCall } from "../shared/internal.ts";
import { namesOf } from "../shared/tools.ts";
import { CalledModels } from "./called-models.ts";

export interface ToolEmulatorOptions {
  /** Tools, or names of tools, that are emulated. Default, and `[]`: all. */
  tools?: readonly (AgentTool | string)[];
  /** The model that emulates. Default: the agent's, as it was called last. */
  model?: string | AgentLanguageModelLike;
}

const OPTIONS: Readonly<Record<keyof ToolEmulatorOptions, OptionKind>> = {
  tools: "any",
  model: "any",
};

/**
 * Lets a model make up the results of tools, for tests of an agent whose tools cost money or do not
 * exist yet. The tools themselves are not called.
 *
 * What the emulating model throws ends the run: it comes from a wrap, not from the tool.
 *
 * @throws GraphError INVALID_CONFIGURATION, also from a run that goes on in another process with a
 *   call that waits and has no `model`
 *
 * @example
 * createAgent({ model, tools: [sendMail], middleware: [toolEmulatorMiddleware({ tools: ["sendMail"] })] });
 */
export function toolEmulatorMiddleware(options: ToolEmulatorOptions = {}) {
  requireKnownOptions("toolEmulatorMiddleware", options, OPTIONS);
  const names = namesOf(options.tools ?? []);
  requireModel("model", options.model);
  const resolve = options.model === undefined ? undefined : modelResolver(options.model);
  const called = new CalledModels();
  return createMiddleware({
    name: "ToolEmulatorMiddleware",
    wrapModelCall:
      resolve !== undefined
        ? undefined
        : (request, handler) => {
            called.note(request.runtime, request.model);
            return handler(request);
          },
    wrapToolCall: async (request, handler) => {
      const { toolCall, tool, runtime } = request;
      if (names.size > 0 && !names.has(toolCall.name)) return handler(request);
      const model = resolve === undefined ? called.of(runtime) : await resolve();
      if (model === undefined) {
        throw invalidOption(
          "Tools can't be emulated: the agent's model was not called in this process. Give toolEmulatorMiddleware a `model`.",
        );
      }
      const answer: unknown = await model.invoke(
        [new HumanMessage(promptOf(toolCall, tool))],
        internalCall("toolEmulation", runtime.signal),
      );
      const content = isBaseMessage(answer) ? answer.text : String(answer);
      return new ToolMessage({ content, tool_call_id: toolCall.id ?? "", name: toolCall.name });
    },
  });
}

function promptOf({ name, args }: ToolCall, tool: AgentTool | undefined): string {
  const { description = "none" } = (tool ?? {}) as { description?: string };
  return [
    "A program under test calls a tool that is not there. Answer in the tool's stead.",
    `Tool: ${name}`,
    `Description: ${description}`,
    `Arguments: ${argumentsText(args)}`,
    "Write what the tool could return for these arguments: plausible and specific, in the form that such a tool uses. Write nothing else.",
  ].join("\n");
}
