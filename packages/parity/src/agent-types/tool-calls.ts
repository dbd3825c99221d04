import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { createAgent, createMiddleware } from "langchain";
import { add, model, spell } from "./kit.ts";

const spelling = createMiddleware({ name: "spelling", tools: [spell] });
const agent = createAgent({ model, tools: [add], middleware: [spelling] });
const plain = createAgent({ model });
const go = { messages: "hi" };

/** What messages know of the agent's tools. */
export async function calls(): Promise<unknown[]> {
  const { messages } = await agent.invoke(go);
  const all: BaseMessage[] = messages;
  const said: unknown[] = [all.length];
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) said.push(message.tool_call_id);
    if (!AIMessage.isInstance(message)) continue;
    for (const call of message.tool_calls ?? []) {
      if (call.name === "add") said.push(call.args.a satisfies number);
      else said.push(call.args.word satisfies string, call.name satisfies "spell");
    }
  }
  for await (const chunk of await agent.stream(go, { streamMode: "values" })) {
    for (const reply of chunk.messages.filter((one) => AIMessage.isInstance(one))) {
      said.push(reply.tool_calls?.[0]?.name satisfies "add" | "spell" | undefined);
    }
  }
  await agent.invoke({ messages });
  await plain.invoke({ messages: [...messages, ["user", "again"]] });
  return said;
}

/** Of an agent whose tools are not known, calls of any. */
export async function anyCalls(): Promise<number[]> {
  const { messages } = await plain.invoke(go);
  const replies = messages.filter((message) => AIMessage.isInstance(message));
  return replies.flatMap(({ tool_calls: made = [] }) =>
    made.map(({ name, args }) => (name === "add" ? args["a"] : 0)),
  );
}

export async function notCalls(): Promise<void> {
  const { messages } = await agent.invoke(go);
  for (const { tool_calls: made = [] } of messages.filter((one) => AIMessage.isInstance(one))) {
    // @ts-expect-error -- no such tool
    if (made[0]?.name === "nothing") return;
    // @ts-expect-error -- no key of it
    for (const call of made) if (call.name === "add") void call.args.nothing;
  }
}
