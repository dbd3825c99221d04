import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type {
  BaseCheckpointSaver,
  ChannelVersions,
  CheckpointMetadata,
  CheckpointTuple,
} from "@langchain/langgraph-checkpoint";

export interface Step {
  readonly thread?: string;
  readonly namespace?: string;
  readonly id: string;
  readonly parent?: string;
  readonly values: Record<string, unknown>;
  readonly metadata?: Record<string, unknown>;
}

/** Puts a checkpoint all of whose channels are new. */
export function putStep(saver: BaseCheckpointSaver, step: Step): Promise<RunnableConfig> {
  const { thread = "t", namespace = "", id, parent, values, metadata } = step;
  const versions: ChannelVersions = Object.fromEntries(
    Object.keys(values).map((key) => [key, Number(id) || 1]),
  );
  return saver.put(
    {
      configurable: {
        thread_id: thread,
        checkpoint_ns: namespace,
        ...(parent === undefined ? {} : { checkpoint_id: parent }),
      },
    },
    {
      v: 4,
      id,
      ts: "2026-01-01T00:00:00.000Z",
      channel_values: values,
      channel_versions: versions,
      versions_seen: {},
    },
    { source: "loop", step: 0, parents: {}, ...metadata } as CheckpointMetadata,
    versions,
  );
}

export function at(id?: string, thread = "t", namespace = ""): RunnableConfig {
  const where = { thread_id: thread, checkpoint_ns: namespace };
  return { configurable: id === undefined ? where : { ...where, checkpoint_id: id } };
}

export async function valuesAt(
  saver: BaseCheckpointSaver,
  id?: string,
  thread = "t",
): Promise<Record<string, unknown> | undefined> {
  return (await saver.getTuple(at(id, thread)))?.checkpoint.channel_values;
}

export async function listed(
  saver: BaseCheckpointSaver,
  config: RunnableConfig,
  options?: Parameters<BaseCheckpointSaver["list"]>[1],
): Promise<string[]> {
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of saver.list(config, options)) tuples.push(tuple);
  return tuples.map(({ checkpoint }) => checkpoint.id);
}

export const idOf = (n: number): string => String(n).padStart(6, "0");

/** A chat of `turns` questions and answers, a checkpoint a message. */
export async function putChat(saver: BaseCheckpointSaver, thread: string, turns: number): Promise<void> {
  const messages: BaseMessage[] = [];
  for (let n = 1; n <= turns * 2; n += 1) {
    const id = `m${n}`;
    messages.push(
      n % 2 === 1
        ? new HumanMessage({ id, content: `question ${n}` })
        : new AIMessage({ id, content: `answer ${n}` }),
    );
    await putStep(saver, {
      thread,
      id: idOf(n),
      ...(n === 1 ? {} : { parent: idOf(n - 1) }),
      values: { messages: [...messages] },
      metadata: { source: n % 2 === 1 ? "input" : "loop", step: n },
    });
  }
}

export async function texts(saver: BaseCheckpointSaver, thread: string, id?: string): Promise<unknown[]> {
  const messages = ((await valuesAt(saver, id, thread))?.["messages"] ?? []) as BaseMessage[];
  return messages.map(({ content }) => content);
}
