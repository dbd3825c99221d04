import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { folderAgent, limitsOf } from "../agent.ts";
import type { PresetName } from "@skein/middleware/presets";
import { DEFAULT_PRESET } from "../presets.ts";
import type { ChatSessions } from "../sessions.ts";
import type { Store } from "../store.ts";
import { folderTools, openFolder } from "../tools/index.ts";
import { label, printable } from "../ui/format.ts";
import { approval, Question } from "./approval.ts";
import { openLines } from "./lines.ts";
import { Session } from "./session.ts";
import { jsonView, terminalView } from "./terminal.ts";

export interface ChatStart {
  readonly store: Store;
  readonly sessions: ChatSessions;
  /** Where the store is, for commands that are printed. */
  readonly db: string;
  readonly model: BaseChatModel;
  readonly modelName: string;
  readonly offline: boolean;
  readonly dir: string;
  readonly preset: PresetName | undefined;
  readonly json: boolean;
  /** Tools that somebody is asked about, `"all"` or names; undefined for none. */
  readonly approve: string | undefined;
  readonly thread: string;
  readonly started: "new" | "continued";
  readonly newThreadId: () => string;
  /** The command that goes on with a thread as this chat does. */
  readonly goOn: (thread: string) => string;
}

const write = (text: string): void => void process.stdout.write(text);

/** Makes agents of a chat that ask somebody about the tools that `approve` says. */
async function agents({ model, offline, dir, store }: ChatStart, preset: PresetName) {
  const tools = folderTools(await openFolder(dir));
  const names = tools.map(({ name }) => name);
  return (approve: string | undefined) => {
    const asking = approve === undefined ? [] : [approval(approve, names)];
    const middleware = [...limitsOf(preset), ...asking];
    return folderAgent({ model, offline, tools, saver: store.saver, preset, middleware });
  };
}

/** Talks until the input ends or somebody leaves. Says whether a run failed. */
export async function startChat(start: ChatStart): Promise<boolean> {
  const { store, sessions, db, dir, thread, newThreadId, json } = start;
  const { preset = DEFAULT_PRESET } = start;
  const agentWith = await agents(start, preset);
  // what was asked in an earlier chat is answered in this one, whatever its options
  const waits = (await Question.of(agentWith("all"), thread)) !== undefined;
  const asks = waits || preset === "human-in-the-loop";
  const agent = agentWith(start.approve ?? (asks ? "all" : undefined));
  const show = json ? jsonView(write) : terminalView(write);
  const session = new Session({
    agent,
    store,
    sessions,
    db,
    show,
    model: start.modelName,
    dir,
    thread,
    newThreadId,
  });
  await session.announce(start.started);
  const interactive = !json && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const isEnd = await talk(session, start, interactive);
  if (!interactive) return session.failed;
  // the end of the input leaves the cursor behind the prompt
  if (isEnd) write("\n");
  const { threadId } = session;
  if ((await store.historyLength(threadId)) > 0) {
    write(`Thread ${label(threadId)} is saved. Go on with:\n  ${start.goOn(threadId)}\n`);
  }
  return session.failed;
}

/** Hands line after line to the session. @returns whether the input ended, and nobody left */
async function talk(session: Session, start: ChatStart, interactive: boolean): Promise<boolean> {
  const lines = openLines(interactive);
  lines.onInterrupt(() => {
    if (!session.interrupt()) lines.close();
  });
  const usual = start.offline ? "> " : `${start.modelName}> `;
  const prompt = (): string => (session.asks ? "y/n> " : usual);
  let line = await lines.next(prompt());
  for (; line !== undefined; line = await lines.next(prompt())) {
    // what is typed stands on the screen; what is piped in would be missing between the answers
    if (!interactive && !start.json && line.trim() !== "") write(`${prompt()}${printable(line)}\n`);
    if (!(await session.take(line))) break;
  }
  lines.close();
  return line === undefined;
}
