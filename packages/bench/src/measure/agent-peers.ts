import { z } from "zod";
import type { Figures, Params } from "../protocol.ts";
import { numberOf, textOf } from "../protocol.ts";
import type { Side } from "../sides.ts";
import { median, sample } from "../stats.ts";

/** Libraries that run agents without a graph, by the name of their package. */
export const PEERS = ["ai", "@openai/agents"] as const;
type Peer = (typeof PEERS)[number];

const QUESTION = "what is 1 + 2?";
const ANSWER = "it is three";
const ARGS = '{"a":1,"b":2}';
const parameters = z.object({ a: z.number(), b: z.number() });
const execute = ({ a, b }: z.output<typeof parameters>): string => String(a + b);

/** Gives the text of the answer. */
type Turn = () => Promise<string | undefined>;

/**
 * Microseconds of a turn of another library's agent: model, one tool, model, with the same script. A
 * model of theirs is an object with one method, so nothing is taken off: it costs less than 1 us.
 */
export async function agentPeerTurn(_side: Side, params: Params): Promise<Figures> {
  const turn = await turnOf(textOf(params, "peer") as Peer);
  const turns = numberOf(params, "turns");
  const act = async (): Promise<void> => {
    for (let at = 0; at < turns; at += 1) {
      const answer = await turn();
      if (answer !== ANSWER) throw new Error(`the turn ended in "${answer}"`);
    }
  };
  const [count, warmUp] = [numberOf(params, "samples"), numberOf(params, "warmUp")];
  const samples = await sample(count, warmUp, act, { longest: numberOf(params, "longest") });
  return { perTurn: (median(samples) / turns) * 1_000 };
}

const turnOf = (peer: Peer): Promise<Turn> => (peer === "ai" ? generatingText() : runningAgent());

async function generatingText(): Promise<Turn> {
  const { generateText, stepCountIs, tool } = await import("ai");
  type Model = Exclude<Parameters<typeof generateText>[0]["model"], string>;
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = {
    specificationVersion: "v3",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    async doGenerate({ prompt }: { readonly prompt: readonly { readonly role: string }[] }) {
      const isAnswered = prompt.at(-1)?.role === "tool";
      const call = { type: "tool-call", toolCallId: "call", toolName: "add", input: ARGS };
      return {
        content: [isAnswered ? { type: "text", text: ANSWER } : call],
        finishReason: { unified: isAnswered ? "stop" : "tool-calls", raw: undefined },
        usage,
        warnings: [],
      };
    },
  } as unknown as Model;
  const tools = { add: tool({ description: "Adds two numbers", inputSchema: parameters, execute }) };
  const stopWhen = stepCountIs(5);
  return async () => (await generateText({ model, tools, prompt: QUESTION, stopWhen })).text;
}

async function runningAgent(): Promise<Turn> {
  const { Agent, Runner, tool, Usage } = await import("@openai/agents");
  type Model = Exclude<ConstructorParameters<typeof Agent>[0]["model"], string | undefined>;
  const model = {
    async getResponse({ input }: { readonly input: string | readonly { readonly type?: string }[] }) {
      const isAnswered = Array.isArray(input) && input.at(-1)?.type === "function_call_result";
      const said = {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: ANSWER }],
      };
      const call = {
        type: "function_call",
        callId: "call",
        name: "add",
        arguments: ARGS,
        status: "completed",
      };
      return { usage: new Usage(), output: [isAnswered ? said : call] };
    },
  } as unknown as Model;
  const add = tool({ name: "add", description: "Adds two numbers", parameters, execute });
  const agent = new Agent({ name: "agent", instructions: "", model, tools: [add] });
  const runner = new Runner({ tracingDisabled: true });
  return async () => (await runner.run(agent, QUESTION)).finalOutput;
}
