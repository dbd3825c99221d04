import type { BaseMessage } from "@langchain/core/messages";
import type { Figures, Params } from "../protocol.ts";
import { numberOf } from "../protocol.ts";
import type { Side } from "../sides.ts";
import { median, sample } from "../stats.ts";
import { answer, question } from "./conversation.ts";

/** How each side turns a message into what it stores, and back. */
interface MessageCodec {
  write(message: BaseMessage): unknown;
  read(stored: never): unknown;
}

/** Microseconds a message of 400 characters, to bytes and back. */
export async function codec(side: Side, params: Params): Promise<Figures> {
  const count = numberOf(params, "messages");
  const messages = Array.from({ length: count }, (_, turn) => {
    const message = turn % 2 === 0 ? question(turn) : answer(turn);
    message.id = `message-${turn}`;
    return message;
  });
  const { write, read } = await codecOf(side);
  const stored: unknown[] = [];
  for (const message of messages) stored.push(await write(message));
  const all = async (act: (index: number) => unknown): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const result = act(index);
      if (result instanceof Promise) await result;
    }
  };
  const rounds = numberOf(params, "rounds");
  const written = await sample(rounds, rounds, () => all((index) => write(messages[index] as BaseMessage)));
  const revived = await sample(rounds, rounds, () => all((index) => read(stored[index] as never)));
  return { write: (median(written) / count) * 1000, read: (median(revived) / count) * 1000 };
}

async function codecOf(side: Side): Promise<MessageCodec> {
  if (side === "floor") {
    return {
      write: ({ type, id, content }) => JSON.stringify({ type, id, content }),
      read: (text: string) => JSON.parse(text) as unknown,
    };
  }
  if (side === "skein") {
    const { defaultCodec } = await import("@skein/checkpointer");
    return {
      write: (message) => defaultCodec.encode(message),
      read: (text: string) => defaultCodec.decode(text),
    };
  }
  const { MemorySaver } = await import("@langchain/langgraph-checkpoint");
  const { serde } = new MemorySaver();
  return {
    write: (message) => serde.dumpsTyped(message),
    read: ([type, bytes]: [string, Uint8Array]) => serde.loadsTyped(type, bytes),
  };
}
