import { GraphError } from "@skein/errors";
import { expect, it } from "vitest";
import type { FolderAgent } from "../src/agent.ts";
import type { ChatEvent } from "../src/chat/events.ts";
import { Session, type SessionOptions } from "../src/chat/session.ts";

const FULL = new GraphError("STORAGE_UNAVAILABLE", "The database does not fit on its disk any more.");

/** What a chat says of a turn that fails on a full disk. */
async function saidOf(getState: () => Promise<{ next: readonly string[] }>): Promise<string[]> {
  const said: string[] = [];
  const agent = { getState, stream: () => Promise.reject(FULL) } as unknown as FolderAgent;
  const sessions = { isOver: async () => false };
  const show = (event: ChatEvent): void => void (event.type === "error" && said.push(event.message));
  const session = new Session({ agent, sessions, show, thread: "t" } as unknown as SessionOptions);
  await session.take("hello");
  return said;
}

it.each([
  ["began", async () => ({ next: ["model_request"] }), / \(what was finished is saved; press Enter to go on/],
  ["could not be stored", async () => ({ next: [] }), / \(nothing of the message is saved: send it again\)$/],
  ["nothing is known of", () => Promise.reject(FULL), /^The database does not fit on its disk any more\.$/],
])("a turn that %s: the chat says what is true of it", async (_what, getState, message) => {
  expect(await saidOf(getState)).toEqual([expect.stringMatching(message)]);
});
