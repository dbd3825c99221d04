import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent, createMiddleware, type AnyAgentMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { countOrphans, isMarkedSummary, toRecorded } from "@skein/context";
import { runLoopsMiddleware } from "../src/run-loops/index.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { toolOutputCompressionMiddleware } from "../src/tool-output-compression/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

type OnEvent = (event: object) => void;
const now = () => 0;

/** Configurations that a thread may be taken up with, and whether they leave messages out on purpose. */
export const CONFIGURATIONS: Readonly<
  Record<string, { readonly omits: boolean; make(onEvent: OnEvent): AnyAgentMiddleware[] }>
> = {
  narrow: {
    omits: false,
    make: (onEvent) => [
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: { messages: 6 },
        keep: { messages: 3 },
        now,
        onEvent,
      }),
    ],
  },
  wide: {
    omits: false,
    make: (onEvent) => [
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: { messages: 14 },
        keep: { messages: 9 },
        now,
        onEvent,
      }),
    ],
  },
  compressing: {
    omits: false,
    make: (onEvent) => [
      toolOutputCompressionMiddleware({ limit: 20, keepTurns: 1, saveAtLeast: 1 }),
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: { messages: 10 },
        keep: { messages: 5 },
        now,
        onEvent,
      }),
    ],
  },
  loops: { omits: true, make: () => [runLoopsMiddleware({ loops: 2, characters: 60, maxAge: 1e15, now })] },
  window: {
    omits: true,
    make: (onEvent) => [
      summarizationMiddleware({
        summarize: false,
        trigger: { messages: 8 },
        keep: { messages: 4 },
        now,
        onEvent,
      }),
    ],
  },
  whole: {
    omits: false,
    make: () => [summarizationMiddleware({ summarizer: "extractive", trigger: { messages: 1e6 }, now })],
  },
};

/** A part of a thread that is written under one configuration. */
export interface Stretch {
  readonly configuration: string;
  readonly messages: readonly BaseMessage[];
}

/**
 * Writes a thread, each stretch by an agent of its own configuration, and says what is wrong: messages
 * that are neither sent nor covered, orphans, a history that is not what was written.
 */
export async function wrongWith(stretches: readonly Stretch[]): Promise<string[]> {
  const checkpointer = new MemorySaver();
  const thread = { configurable: { thread_id: "t" } };
  const wrong: string[] = [];
  const covered = new Set<string>();
  const written: BaseMessage[] = [];
  for (const [at, { configuration, messages }] of stretches.entries()) {
    const { omits, make } = CONFIGURATIONS[configuration] as (typeof CONFIGURATIONS)[string];
    const middleware = make((event) => {
      for (const id of (event as { coveredIds?: string[] }).coveredIds ?? []) covered.add(id);
    });
    const model = new ScriptedModel(() => new AIMessage("never asked"));
    let sent: readonly BaseMessage[] = [];
    const look = createMiddleware({
      name: "look",
      beforeModel: {
        canJumpTo: ["end"],
        hook: (state) => {
          sent = state.messages;
          return { jumpTo: "end" };
        },
      },
    });
    const agent = createAgent({ model, middleware: [...middleware, look], checkpointer });
    for (const message of messages) {
      written.push(message);
      await agent.invoke({ messages: [message] }, thread);
      const shown = new Set(sent.map(({ id }) => id));
      const lost = written.filter(({ id }) => !shown.has(id) && !covered.has(id as string));
      const where = `stretch ${at} (${configuration}), message ${message.id}`;
      if (!omits && lost.length > 0) wrong.push(`${where}: lost ${lost.map(({ id }) => id).join(" ")}`);
      if (sent.filter(isMarkedSummary).length > 1) wrong.push(`${where}: two summaries`);
      if (new Set(sent.map(({ id }) => id)).size !== sent.length) wrong.push(`${where}: a message twice`);
    }
    if (countOrphans(written) === 0 && countOrphans(sent) > 0) wrong.push(`stretch ${at}: orphans`);
  }
  const { messages } = await createAgent({
    model: new ScriptedModel(() => new AIMessage("")),
    checkpointer,
  }).history(thread, {
    limit: 1e6,
  });
  if (JSON.stringify(messages.map(toRecorded)) !== JSON.stringify(written.map(toRecorded)))
    wrong.push("the history is not what was written");
  return wrong;
}
