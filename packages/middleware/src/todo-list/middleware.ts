import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createMiddleware } from "@skein/agent";
import { Command } from "@skein/graph";
import { z } from "zod";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { withParagraph } from "../shared/messages.ts";
import { refusal, turnToRun } from "../shared/turn.ts";
import { TODO_LIST_MIDDLEWARE_SYSTEM_PROMPT, WRITE_TODOS_DESCRIPTION } from "./prompts.ts";

export interface TodoListOptions {
  /** Added to the system prompt; `""` adds nothing. Default: `TODO_LIST_MIDDLEWARE_SYSTEM_PROMPT`. */
  systemPrompt?: string;
  /** Default: `WRITE_TODOS_DESCRIPTION`. */
  toolDescription?: string;
}

const todo = z.object({
  content: z.string().describe("What is to be done"),
  status: z.enum(["pending", "in_progress", "completed"]).describe("How far it is"),
});
export type Todo = z.output<typeof todo>;

const stateSchema = z.object({ todos: z.array(todo).default([]) });
const NAME = "write_todos";

const OPTIONS: Readonly<Record<keyof TodoListOptions, OptionKind>> = {
  systemPrompt: "text",
  toolDescription: "text",
};

/**
 * Gives the model a to-do list: the tool `write_todos`, and the list in the state as `todos`.
 *
 * @example
 * const agent = createAgent({ model, tools, middleware: [todoListMiddleware()] });
 * const { todos } = await agent.invoke({ messages: "Plan my move" });
 */
export function todoListMiddleware(options: TodoListOptions = {}) {
  requireKnownOptions("todoListMiddleware", options, OPTIONS);
  const {
    systemPrompt = TODO_LIST_MIDDLEWARE_SYSTEM_PROMPT,
    toolDescription: description = WRITE_TODOS_DESCRIPTION,
  } = options;
  const schema = z.object({ todos: z.array(todo).describe("The whole list") });
  // made apart: where a list of any tools is asked for, its type would be that of any tool
  const write = tool(writeTodos, { name: NAME, description, schema });
  return createMiddleware({
    name: "todoListMiddleware",
    stateSchema,
    tools: [write],
    wrapModelCall: (request, handler) => {
      if (systemPrompt === "") return handler(request);
      return handler({ ...request, systemMessage: withParagraph(request.systemMessage, systemPrompt) });
    },
    afterModel: {
      canJumpTo: ["model"],
      hook: ({ messages }, runtime) => {
        const { waiting = [] } = turnToRun(messages, runtime) ?? {};
        const calls = waiting.filter(({ name }) => name === NAME);
        // each replaces the whole list: of several nobody could say which one holds
        if (calls.length < 2) return undefined;
        const results = calls.map((call) =>
          refusal(call, `Call ${NAME} once in a reply, with the whole list. None of the lists was written.`),
        );
        return {
          messages: results,
          ...(calls.length === waiting.length ? { jumpTo: "model" as const } : {}),
        };
      },
    },
  });
}

function writeTodos({ todos }: { todos: Todo[] }, config: { toolCall?: { id?: string } }): Command {
  const message = new ToolMessage({
    content: `The list is written: ${JSON.stringify(todos)}`,
    tool_call_id: config.toolCall?.id ?? "",
    name: NAME,
  });
  return new Command({ update: { todos, messages: [message] } });
}
