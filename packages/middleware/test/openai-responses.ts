import type { ServerResponse } from "node:http";
import type { ChatRequest, Said, WireMessage } from "./openai-server.ts";

/** A part of what OpenAI's responses are asked with: a message, a call, or what a call gave. */
type Item =
  | {
      readonly type?: "message";
      readonly role: "system" | "developer" | "user" | "assistant";
      readonly content: string | readonly { readonly type: string; readonly text: string }[];
    }
  | {
      readonly type: "function_call";
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: "function_call_output"; readonly call_id: string; readonly output: string };

export interface ResponsesRequest {
  readonly model: string;
  readonly input: readonly Item[];
  readonly stream?: boolean;
  readonly tools?: readonly { readonly type: string; readonly name: string; readonly parameters: object }[];
  readonly tool_choice?: unknown;
  readonly text?: { readonly format?: { readonly type: string; readonly name: string } };
}

/** The same request as chat completions have it, so that one function answers both. */
export function asChat({ model, input, stream, tools, tool_choice, text }: ResponsesRequest): ChatRequest {
  const messages: WireMessage[] = [];
  for (const item of input) {
    if (item.type === "function_call") {
      const { call_id: id, name, arguments: args } = item;
      const call = { id, type: "function" as const, function: { name, arguments: args } };
      const last = messages.at(-1);
      if (last?.tool_calls === undefined) {
        messages.push({ role: "assistant", content: null, tool_calls: [call] });
      } else messages[messages.length - 1] = { ...last, tool_calls: [...last.tool_calls, call] };
    } else if (item.type === "function_call_output") {
      messages.push({ role: "tool", content: item.output, tool_call_id: item.call_id });
    } else {
      const { role, content } = item;
      const said = typeof content === "string" ? content : content.map((part) => part.text).join("");
      messages.push({ role, content: said });
    }
  }
  return {
    model,
    messages,
    ...(stream !== undefined && { stream }),
    ...(tool_choice !== undefined && { tool_choice }),
    ...(text?.format !== undefined && {
      response_format: { type: text.format.type, json_schema: { name: text.format.name } },
    }),
    ...(tools !== undefined && {
      tools: tools.map(({ type, name, parameters }) => ({ type, function: { name, parameters } })),
    }),
  };
}

/** What a response is made of. */
function outputOf(id: string, said: Said) {
  if (!("calls" in said)) {
    const content = [{ type: "output_text" as const, text: said.text, annotations: [] }];
    return [{ type: "message" as const, id: `msg_${id}`, role: "assistant", status: "completed", content }];
  }
  return said.calls.map((call, index) => ({
    type: "function_call" as const,
    id: `fc_${id}_${index}`,
    call_id: call.id ?? `call_${index}`,
    name: call.name,
    arguments: JSON.stringify(call.args).slice(0, said.room),
    status: said.room === undefined ? "completed" : "incomplete",
  }));
}

export function wholeResponse(id: string, { model }: ChatRequest, said: Said) {
  const isCut = "calls" in said && said.room !== undefined;
  return {
    id,
    object: "response",
    created_at: 1_700_000_000,
    model,
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    error: null,
    output: outputOf(id, said),
    usage: {
      input_tokens: 11,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 18,
    },
  };
}

/** The same in events: a text word by word, arguments of calls cut anywhere. */
export function streamResponse(response: ServerResponse, id: string, request: ChatRequest, said: Said): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  let sequence_number = 0;
  const send = (type: string, event: object): void => {
    const data = JSON.stringify({ type, sequence_number, ...event });
    sequence_number += 1;
    response.write(`event: ${type}\ndata: ${data}\n\n`);
  };
  const end = wholeResponse(id, request, said);
  send("response.created", { response: { ...end, status: "in_progress", output: [], usage: null } });
  for (const [output_index, item] of end.output.entries()) {
    const at = { item_id: item.id, output_index };
    if (item.type === "function_call") {
      send("response.output_item.added", { output_index, item: { ...item, arguments: "" } });
      for (const delta of item.arguments.match(/.{1,5}/gsu) ?? []) {
        send("response.function_call_arguments.delta", { ...at, delta });
      }
    } else {
      send("response.output_item.added", { output_index, item: { ...item, content: [] } });
      const text = item.content[0]?.text ?? "";
      for (const delta of text.match(/\S+\s*/gu) ?? []) {
        send("response.output_text.delta", { ...at, content_index: 0, delta });
      }
    }
    if ("hang" in said && said.hang === true) return;
    send("response.output_item.done", { output_index, item });
  }
  send(end.status === "completed" ? "response.completed" : "response.incomplete", { response: end });
  response.end();
}
