import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createAgent, type AgentTool, type AnyAgentMiddleware } from "@skein/agent";
import { presetContext, presetMiddleware, PRESETS, type PresetName } from "@skein/middleware/presets";
import type { CompactionEvent } from "@skein/middleware/summarization";
import { loadModel } from "./model/providers.ts";
import { PRESET_NAMES } from "./presets.ts";
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
  /** Its context; what stands around it comes as `middleware`. */
  readonly preset: PresetName;
  readonly middleware?: readonly AnyAgentMiddleware[];
  readonly onCompaction?: (event: CompactionEvent) => void;
}

/** The agent of chat and tour: a model, the folder's tools, a context that is kept small. */
export function folderAgent(options: FolderAgentOptions) {
  const { model, offline, preset, onCompaction } = options;
  const context = presetContext(preset, {
    ...(offline ? {} : { model }),
    ...(onCompaction ? { onEvent: onCompaction } : {}),
  });
  return createAgent({
    model,
    tools: [...options.tools],
    systemPrompt: SYSTEM_PROMPT,
    middleware: [...context, ...(options.middleware ?? [])],
    checkpointer: options.saver,
    // the user goes on with the very turn that Ctrl-C stopped
    onStop: "leave",
  });
}

/** Limits and retries of a preset. Approval is the chat's own, which knows how to ask. */
export const limitsOf = (preset: PresetName): AnyAgentMiddleware[] =>
  PRESETS[preset === "human-in-the-loop" ? "production" : preset].around({});

export type FolderAgent = ReturnType<typeof folderAgent>;

/**
 * To look at threads and fork them: nothing of it is run. It has the nodes of every preset, because a
 * checkpoint's next nodes are known only to a graph that has them.
 */
export async function readingAgent(store: { readonly saver: BaseCheckpointSaver }): Promise<FolderAgent> {
  const model = await loadModel({ kind: "offline" });
  const tools = folderTools({ root: process.cwd() });
  const all = PRESET_NAMES.flatMap((name) => presetMiddleware(name));
  const middleware = [...new Map(all.map((one) => [one.name, one])).values()];
  return folderAgent({ model, offline: true, tools, saver: store.saver, preset: "none", middleware });
}
