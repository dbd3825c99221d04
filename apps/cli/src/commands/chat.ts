import { existsSync } from "node:fs";
import { folderAgent } from "../agent.ts";
import { jsonView, terminalView } from "../chat/terminal.ts";
import { openLines, type Lines } from "../chat/lines.ts";
import { Session } from "../chat/session.ts";
import { BadInput, EXIT } from "../errors.ts";
import { requireFolder } from "../input.ts";
import { chooseModel, loadModel, modelName, type ModelChoice } from "../model/providers.ts";
import { preset, type PresetName } from "../presets.ts";
import type { CommonOptions } from "../program.ts";
import { openStore, prepareStore, requireThread, type Store } from "../store.ts";
import { folderTools, openFolder } from "../tools/index.ts";

export interface ChatOptions extends CommonOptions {
  readonly thread?: string;
  readonly new?: string | true;
  readonly dir: string;
  readonly model?: string;
  readonly preset?: PresetName;
}

const write = (text: string): void => void process.stdout.write(text);

/** Chats until the input ends. Exit code 1 when a run failed. */
export async function chat(options: ChatOptions): Promise<number> {
  const choice = chooseModel(options.model);
  const dir = await requireFolder(options.dir);
  const model = await loadModel(choice, { tokenDelayMs: tokenDelay() });
  await checkThread(options);
  await prepareStore(options.db);
  const store = await openStore(options.db, "write");
  const { thread, started } = await chooseThread(store, options);
  const session = new Session({
    agent: folderAgent({
      model,
      offline: choice.kind === "offline",
      tools: folderTools(await openFolder(dir)),
      saver: store.saver,
      compaction: preset(options.preset),
    }),
    store,
    show: options.json ? jsonView(write) : terminalView(write),
    model: modelName(choice),
    dir,
    thread,
    newThreadId,
  });
  try {
    await session.announce(started);
    await talk(
      session,
      openLines(!options.json && process.stdin.isTTY === true && process.stdout.isTTY === true),
      choice,
    );
    return session.failed ? EXIT.failed : EXIT.ok;
  } finally {
    await store.close();
  }
}

async function talk(session: Session, lines: Lines, choice: ModelChoice): Promise<void> {
  lines.onInterrupt(() => {
    if (session.interrupt()) return;
    lines.close();
  });
  const prompt = choice.kind === "offline" ? "> " : `${choice.name}> `;
  for (let line = await lines.next(prompt); line !== undefined; line = await lines.next(prompt)) {
    if (!(await session.take(line))) break;
  }
  lines.close();
}

/** The offline model can be slowed down, to watch its tokens. */
function tokenDelay(): number {
  const value = Number(process.env["SKEIN_TOKEN_MS"] ?? 0);
  return Number.isFinite(value) && value > 0 ? value : 0;
}

const newThreadId = (): string => `chat-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 5)}`;

/** Everything that can be wrong with the thread is found before the database is opened for writing. */
async function checkThread(options: ChatOptions): Promise<void> {
  if (options.new === "") throw new BadInput("--new takes an id that is not empty.");
  const mayBeAbsent = options.thread === undefined && !existsSync(options.db);
  if (mayBeAbsent || (options.thread === undefined && typeof options.new !== "string")) return;
  const store = await openStore(options.db, "read");
  try {
    if (options.thread !== undefined) await requireThread(store, options.thread);
    else if (typeof options.new === "string" && (await store.exists(options.new))) {
      throw new BadInput(
        `There is a thread "${options.new}" already; go on with it: --thread ${options.new}.`,
      );
    }
  } finally {
    await store.close();
  }
}

async function chooseThread(
  store: Store,
  options: ChatOptions,
): Promise<{ thread: string; started: "new" | "continued" }> {
  if (options.thread !== undefined) return { thread: options.thread, started: "continued" };
  if (options.new !== undefined)
    return { thread: options.new === true ? newThreadId() : options.new, started: "new" };
  const latest = await store.latest();
  return latest === undefined
    ? { thread: newThreadId(), started: "new" }
    : { thread: latest, started: "continued" };
}
