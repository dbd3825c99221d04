import { createAgent } from "@skein/agent";
import { todoListMiddleware } from "@skein/middleware/todo-list";
import { expectTypeOf } from "vitest";

const agent = createAgent({ model: "openai:gpt-5", tools: [], middleware: [todoListMiddleware()] });

async function calls(): Promise<void> {
  const run = await agent.streamEvents({ messages: "hi" }, { version: "v3" });
  for await (const { name, input } of run.toolCalls) {
    expectTypeOf(name).toEqualTypeOf<"write_todos">();
    expectTypeOf(input.todos[0]!.content).toEqualTypeOf<string>();
  }
}
void calls;
