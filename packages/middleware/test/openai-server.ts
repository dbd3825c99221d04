import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { asChat, streamResponse, wholeResponse, type ResponsesRequest } from "./openai-responses.ts";

/** A message as OpenAI's chat completions have it. */
export interface WireMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly name?: string;
  readonly tool_calls?: readonly {
    id: string;
    type: "function";
    function: { name: string; arguments: string };
  }[];
  readonly tool_call_id?: string;
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly tools?: readonly {
    readonly type: string;
    readonly function: { readonly name: string; readonly parameters: object };
  }[];
  readonly tool_choice?: unknown;
  readonly response_format?: { readonly type: string; readonly json_schema?: { readonly name: string } };
}

/** What the model says: text, calls of tools, or an error of HTTP. */
export type WireReply =
  | { readonly text: string; readonly hang?: boolean; readonly hasRole?: false }
  | {
      readonly calls: readonly { readonly id?: string; readonly name: string; readonly args: object }[];
      /** Letters of the arguments that were written when there was no more room. */
      readonly room?: number;
    }
  | { readonly status: number; readonly retryAfter?: string };

/**
 * A server that speaks the protocols of OpenAI's chat completions and responses, for the real client: whole,
 * or in chunks of one word, with arguments of calls cut anywhere. Replies come from a function.
 */
export async function startOpenAI(reply: (request: ChatRequest) => WireReply) {
  const requests: ChatRequest[] = [];
  const paths: string[] = [];
  let closed = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on("close", () => {
      if (!response.writableFinished) closed += 1;
    });
    const asked = await json(request);
    const isResponse = request.url === "/v1/responses";
    if (!isResponse && request.url !== "/v1/chat/completions") return void response.writeHead(404).end();
    const body = isResponse ? asChat(asked as ResponsesRequest) : (asked as ChatRequest);
    requests.push(body);
    paths.push(request.url as string);
    const said = reply(body);
    if ("status" in said) {
      const headers = said.retryAfter === undefined ? {} : { "retry-after": said.retryAfter };
      const error = { message: `status ${said.status}`, type: "test", code: null };
      response.writeHead(said.status, { "content-type": "application/json", ...headers });
      return void response.end(JSON.stringify({ error }));
    }
    // replies of one id would be one message
    const id = `${isResponse ? "resp_" : "chatcmpl-"}${requests.length}`;
    if (body.stream === true) return (isResponse ? streamResponse : stream)(response, id, body, said);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify((isResponse ? wholeResponse : whole)(id, body, said)));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    /** What each request was sent to. */
    paths,
    /** Answers that the client did not wait for. */
    closed: () => closed,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export type Said = Exclude<WireReply, { readonly status: number }>;

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

const envelope = (id: string, { model }: ChatRequest, object: string) => ({
  id,
  object,
  created: 1_700_000_000,
  model,
});

function toolCalls(said: Extract<Said, { readonly calls: unknown }>) {
  return said.calls.map(({ id, name, args }, index) => ({
    id: id ?? `call_${index}`,
    type: "function" as const,
    function: { name, arguments: JSON.stringify(args).slice(0, said.room) },
  }));
}

function finish(said: Said): string {
  if (!("calls" in said)) return "stop";
  return said.room === undefined ? "tool_calls" : "length";
}

function whole(id: string, request: ChatRequest, said: Said): object {
  const message =
    "calls" in said
      ? { role: "assistant", content: null, tool_calls: toolCalls(said) }
      : { role: "assistant", content: said.text };
  return {
    ...envelope(id, request, "chat.completion"),
    choices: [{ index: 0, message, finish_reason: finish(said), logprobs: null }],
    usage,
  };
}

function stream(response: ServerResponse, id: string, request: ChatRequest, said: Said): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (chunk: object): void => void response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  const delta = (content: object, finish_reason: string | null = null): void =>
    send({
      ...envelope(id, request, "chat.completion.chunk"),
      choices: [{ index: 0, delta: content, finish_reason }],
    });
  delta("hasRole" in said ? { content: "" } : { role: "assistant", content: "" });
  if ("calls" in said) {
    for (const [index, call] of toolCalls(said).entries()) {
      const { arguments: text, name } = call.function;
      delta({ tool_calls: [{ index, id: call.id, type: "function", function: { name, arguments: "" } }] });
      for (const part of text.match(/.{1,5}/gsu) ?? []) {
        delta({ tool_calls: [{ index, function: { arguments: part } }] });
      }
    }
  } else for (const word of said.text.match(/\S+\s*/gu) ?? []) delta({ content: word });
  if ("hang" in said && said.hang === true) return;
  delta({}, finish(said));
  if (request.stream_options?.include_usage === true) {
    send({ ...envelope(id, request, "chat.completion.chunk"), choices: [], usage });
  }
  response.end("data: [DONE]\n\n");
}
