import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Figures, Params } from "../protocol.ts";
import { numberOf } from "../protocol.ts";
import { loadEngine, type Side } from "../sides.ts";
import { median, sample } from "../stats.ts";
import { question } from "./conversation.ts";

/** A model that answers `chunks` tokens as fast as it is asked. */
class Chatterbox extends BaseChatModel {
  readonly #chunks: number;

  constructor(chunks: number) {
    super({});
    this.#chunks = chunks;
  }

  override _llmType(): string {
    return "chatterbox";
  }

  override async _generate(): Promise<ChatResult> {
    return { generations: [{ text: "x", message: new AIMessage("x") }] };
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (let index = 0; index < this.#chunks; index += 1) {
      const chunk = new ChatGenerationChunk({
        text: "token ",
        message: new AIMessageChunk({ content: "token ", id: "m" }),
      });
      yield chunk;
      await run?.handleLLMNewToken("token ", undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/**
 * Microseconds a token that the messages stream takes on top of the model alone: the two in turn in one
 * process, since the model takes ten times as long as what is measured. On the floor the model alone.
 */
export async function tokens(side: Side, params: Params): Promise<Figures> {
  const chunks = numberOf(params, "chunks");
  const samples = numberOf(params, "samples");
  const model = new Chatterbox(chunks);
  const alone = () => bare(model, chunks);
  const perChunk = (taken: readonly number[]): number => (median(taken) / chunks) * 1000;
  if (side === "floor") return { perChunk: perChunk(await sample(samples, 3, alone)) };
  const through = await streamed(side, model, chunks);
  const shares = await sample(
    samples,
    3,
    async () => {
      const [least, whole] = [await msOf(alone), await msOf(through)];
      return whole - least;
    },
    { tells: true },
  );
  return { perChunk: perChunk(shares) };
}

async function msOf(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** The least that makes a model stream: one handler that counts. */
class Counter extends BaseCallbackHandler {
  readonly name = "counter";
  readonly lc_prefer_streaming = true;
  seen = 0;

  override handleLLMNewToken(): void {
    this.seen += 1;
  }
}

async function bare(model: Chatterbox, chunks: number): Promise<void> {
  const counter = new Counter();
  await model.invoke([question(1)], { callbacks: [counter] });
  if (counter.seen < chunks) throw new Error(`saw ${counter.seen} of ${chunks} tokens`);
}

async function streamed(
  side: "skein" | "langgraph",
  model: Chatterbox,
  chunks: number,
): Promise<() => Promise<void>> {
  const lg = await loadEngine(side);
  const graph = new lg.StateGraph(lg.MessagesAnnotation)
    .addNode("model", async (state, config) => ({ messages: [await model.invoke(state.messages, config)] }))
    .addEdge(lg.START, "model")
    .compile();
  return async () => {
    let seen = 0;
    for await (const _chunk of await graph.stream({ messages: [question(1)] }, { streamMode: "messages" }))
      seen += 1;
    if (seen < chunks) throw new Error(`saw ${seen} of ${chunks} tokens`);
  };
}
