import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createAgent, type AgentTool, type AnyAgentMiddleware } from "@skein/agent";
import { summarizationMiddleware, type CompactionEvent } from "@skein/middleware/summarization";
import { loadModel } from "./model/providers.ts";
import { preset, type Compaction } from "./presets.ts";
import { folderTools } from "./tools/index.ts";

const SYSTEM_PROMPT =
  "You help a developer to understand a folder of files. Look before you answer: list, read and search with the " +
  "tools, several calls at once where they do not depend on each other. Name the files and lines that you speak of. " +
  "Say so when the tools do not show what was asked.";

export interface FolderAgentOptions {
  readonly model: BaseChatModel;
  /** The offline model cannot write summaries; they are then extracted. */
  readonly offline: boolean;
  readonly tools: readonly AgentTool[];
  readonly saver: BaseCheckpointSaver;
  readonly compaction: Compaction;
  readonly middleware?: readonly AnyAgentMiddleware[];
  readonly onCompaction?: (event: CompactionEvent) => void;
}

/** The agent of chat and tour: a model, the folder's tools, a context that is kept small. */
export function folderAgent(options: FolderAgentOptions) {
  const { model, offline, compaction, onCompaction } = options;
  const summarization = summarizationMiddleware({
    ...compaction,
    ...(offline ? { summarizer: "extractive" as const } : { model, fallback: "extractive" as const }),
    ...(onCompaction ? { onEvent: onCompaction } : {}),
  });
  return createAgent({
    model,
    tools: [...options.tools],
    systemPrompt: SYSTEM_PROMPT,
    middleware: [summarization, ...(options.middleware ?? [])],
    checkpointer: options.saver,
    // the user goes on with the very turn that Ctrl-C stopped
    onStop: "leave",
  });
}

export type FolderAgent = ReturnType<typeof folderAgent>;

/** The same graph, to look at threads and fork them: nothing of it is run. */
export async function readingAgent(store: { readonly saver: BaseCheckpointSaver }): Promise<FolderAgent> {
  const model = await loadModel({ kind: "offline" });
  const tools = folderTools({ root: process.cwd() });
  return folderAgent({ model, offline: true, tools, saver: store.saver, compaction: preset() });
}
