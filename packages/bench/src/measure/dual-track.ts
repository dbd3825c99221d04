import { dualTrackMessages } from "@skein/agent";
import { END, START, StateGraph, StateSchema } from "@skein/graph";
import { summarizationNode, summaryFields } from "@skein/middleware";
import type { Saver } from "../sides.ts";
import type { ChatGraph, Model } from "./chat-graph.ts";

/**
 * A chat whose context is kept between 20 and 60 messages while the history grows. The summarizer
 * answers at once: what a model would take is not our time.
 */
export function dualTrackGraph(saver: Saver, model: Model): ChatGraph {
  const compact = summarizationNode({
    trigger: { messages: 60 },
    keep: { messages: 20 },
    summarizer: () => "What was said before, in short.",
  });
  return new StateGraph(new StateSchema({ ...dualTrackMessages(), ...summaryFields }))
    .addNode("compact", compact)
    .addNode("model", () => ({ messages: [model()] }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addEdge("model", END)
    .compile({ checkpointer: saver }) as unknown as ChatGraph;
}
