import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { type AnyAgentMiddleware, createAgent, type Restore } from "@skein/agent";
import { CHANGE_SETS, type ChangeSets, type Opened, type StoredLog } from "@skein/checkpointer";
import { textOf } from "@skein/context";
import { runLoopsMiddleware } from "../src/run-loops/index.ts";
import { summarizationMiddleware, type SummarizationMiddlewareOptions } from "../src/summarization/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

export const thread = { configurable: { thread_id: "t" } };

type Values = { messages: BaseMessage[]; full_messages: BaseMessage[] };
type Told = { readonly coveredIds: readonly string[] };

/** How often archives were read as a whole. */
export function archiveReads(saver: BaseCheckpointSaver): { count: number } {
  const reads = { count: 0 };
  const sets = (saver as { [CHANGE_SETS]?: ChangeSets })[CHANGE_SETS];
  if (sets === undefined) return reads;
  const watched = (opened: Opened): Opened => {
    for (const image of opened.checkpoint?.channels.values() ?? []) {
      if (image.kind !== "log") continue;
      const log = image as { -readonly [K in keyof StoredLog]: StoredLog[K] };
      const { load } = log;
      log.load = () => {
        reads.count += 1;
        return load.call(image);
      };
    }
    return opened;
  };
  const open = sets.open.bind(sets);
  sets.open = (...args) => {
    const opened = open(...args);
    return opened instanceof Promise ? opened.then(watched) : watched(opened);
  };
  return reads;
}

/** Turns of a thread, each by an agent of its own, as after a restart. */
export function talking(saver: BaseCheckpointSaver) {
  const prompts: BaseMessage[][] = [];
  const covered = new Set<string>();
  const onEvent = (event: object): void => {
    for (const id of (event as Partial<Told>).coveredIds ?? []) covered.add(id);
  };
  const agentWith = (middleware: AnyAgentMiddleware[], restore?: Restore) => {
    const model = new ScriptedModel((messages) => {
      prompts.push(messages);
      return new AIMessage(
        `Answer to: ${textOf(messages.at(-1) as BaseMessage)}. ${"It is long. ".repeat(8)}`,
      );
    });
    return createAgent({
      model,
      tools: [],
      middleware,
      checkpointer: saver,
      ...(restore === undefined ? {} : { restore }),
    });
  };
  const say = async (
    text: string,
    middleware: AnyAgentMiddleware[],
    restore?: Restore,
    config: object = thread,
  ) => {
    const agent = agentWith(middleware, restore);
    await agent.invoke({ messages: [new HumanMessage({ id: text, content: text })] }, config);
    return (prompts.at(-1) as BaseMessage[]).map(({ text: said }) => said);
  };
  const tracks = async () => (await agentWith([]).getState(thread)).values as unknown as Values;
  /** Ids of the history that are neither in the last prompt nor covered. */
  const lost = async (): Promise<(string | undefined)[]> => {
    const shown = new Set((prompts.at(-1) as BaseMessage[]).map(({ id }) => id));
    const { full_messages: history } = await tracks();
    return history.slice(0, -1).flatMap(({ id }) => (shown.has(id) || covered.has(id as string) ? [] : [id]));
  };
  return { say, tracks, lost, agentWith, onEvent, prompts };
}

export const summaries = (options: Partial<SummarizationMiddlewareOptions> = {}): AnyAgentMiddleware[] => [
  summarizationMiddleware({
    ...(options.model === undefined ? { summarizer: "extractive" as const } : {}),
    trigger: { messages: 8 },
    keep: { messages: 4 },
    now: () => 0,
    ...options,
  }),
];

export const loops = (count: number): AnyAgentMiddleware[] => [
  runLoopsMiddleware({ loops: count, characters: 20, now: () => 0 }),
];

export const user = (prompt: readonly string[]): string[] => prompt.filter((text) => /^q\d+$/u.test(text));

export const q = (n: number): string => `q${n}`;
