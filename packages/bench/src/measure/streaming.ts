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

/** Microseconds a token, model included: through the messages stream, or (floor) from the model alone. */
export async function tokens(side: Side, params: Params): Promise<Figures> {
  const chunks = numberOf(params, "chunks");
  const model = new Chatterbox(chunks);
  const once = side === "floor" ? () => bare(model, chunks) : await streamed(side, model, chunks);
  const samples = await sample(numberOf(params, "samples"), 3, once);
  return { perChunk: (median(samples) / chunks) * 1000 };
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
