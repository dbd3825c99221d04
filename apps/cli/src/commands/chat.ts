import { existsSync, statSync } from "node:fs";
import { openStore, prepareStore, requireThread } from "../database.ts";
import { BadInput, EXIT } from "../errors.ts";
import { requireFolder, requireNewId } from "../input.ts";
import { chooseModel, loadModel, modelName } from "../model/providers.ts";
import type { PresetName } from "@skein/middleware/presets";
import type { CommonOptions } from "../options.ts";
import type { ChatSessions } from "../sessions.ts";
import type { Store } from "../store.ts";
import { chatCommand, chatOptions, commandLine } from "../ui/invocation.ts";

export interface ChatOptions extends CommonOptions {
  readonly thread?: string;
  readonly new?: string | true;
  readonly dir: string;
  readonly model?: string;
  readonly preset?: PresetName;
  readonly approve?: string;
  readonly offload?: string;
}

/** Chats until the input ends. Exit code 1 when a run failed. */
export async function chat(options: ChatOptions): Promise<number> {
  const choice = chooseModel(options.model);
  const dir = await requireFolder(options.dir);
  if (options.offload !== undefined) requirePlaceFor(options.offload);
  if (options.approve !== undefined) await requireTools(options.approve, dir);
  const model = await loadModel(choice, { tokenDelayMs: tokenDelay() });
  await checkThread(options);
  await prepareStore(options.db);
  const store = await openStore(options.db, "write");
  const { openSessions } = await import("../sessions.ts");
  const sessions = openSessions(options.db, store.saver, options.offload);
  try {
    const { startChat } = await import("../chat/start.ts");
    const { preset, json, approve } = options;
    const chosen = await chooseThread(store, sessions, options);
    await sessions.catchUp();
    const failed = await startChat({
      ...chosen,
      store,
      sessions,
      db: options.db,
      model,
      dir,
      preset,
      json,
      approve,
      newThreadId,
      goOn: (thread) => chatCommand(thread, options),
      modelName: modelName(choice),
      offline: choice.kind === "offline",
    });
    return failed ? EXIT.failed : EXIT.ok;
  } finally {
    await sessions.close();
    await store.close();
  }
}

/** The offline model can be slowed down, to watch its tokens. */
function tokenDelay(): number {
  const value = Number(process.env["SKEIN_TOKEN_MS"] ?? 0);
  return Number.isFinite(value) && value > 0 ? value : 0;
}

const newThreadId = (): string => `chat-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 5)}`;

/** Everything that can be wrong with the thread is found before the database is opened for writing. */
async function checkThread(options: ChatOptions): Promise<void> {
  if (typeof options.new === "string") requireNewId(options.new, "--new");
  const mayBeAbsent = options.thread === undefined && !existsSync(options.db);
  if (mayBeAbsent || (options.thread === undefined && typeof options.new !== "string")) return;
  const make = ["chat", "--new", options.thread ?? String(options.new), ...chatOptions(options)];
  const store = await openStore(options.db, "read", make);
  try {
    if (options.thread !== undefined) await requireThread(store, options.thread, options.db);
    else if (typeof options.new === "string" && (await store.exists(options.new))) {
      throw new BadInput(
        `There is a thread "${options.new}" already; go on with it: ${chatCommand(options.new, options)}`,
      );
    }
  } finally {
    await store.close();
  }
}

async function chooseThread(
  store: Store,
  sessions: ChatSessions,
  options: ChatOptions,
): Promise<{ thread: string; started: "new" | "continued" }> {
  if (options.thread !== undefined) {
    await requireOpen(sessions, options.thread, options.db);
    return { thread: options.thread, started: "continued" };
  }
  if (options.new !== undefined)
    return { thread: options.new === true ? newThreadId() : options.new, started: "new" };
  const latest = await store.latest(sessions.isOver);
  return latest === undefined
    ? { thread: newThreadId(), started: "new" }
    : { thread: latest, started: "continued" };
}

/** @throws BadInput for a thread whose session was ended */
async function requireOpen(sessions: ChatSessions, thread: string, db: string): Promise<void> {
  if (!(await sessions.isOver(thread))) return;
  const copy = commandLine(["fork", thread, "CHECKPOINT", "--to", "NEW"], db);
  throw new BadInput(`The session of thread "${thread}" is over. Go on in a copy of it: ${copy}`);
}

/** A folder to come is made when there is something to write; a history must not be lost then. */
function requirePlaceFor(offload: string): void {
  if (offload.trim() === "") throw new BadInput("--offload takes the path of a folder.");
  if (statSync(offload, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new BadInput(`--offload takes the path of a folder, and "${offload}" is a file.`);
}

/** What is asked for must be there before a database is made. */
async function requireTools(approve: string, dir: string): Promise<void> {
  const [{ approval }, { folderTools, openFolder }] = await Promise.all([
    import("../chat/approval.ts"),
    import("../tools/index.ts"),
  ]);
  approval(
    approve,
    folderTools(await openFolder(dir)).map(({ name }) => name),
  );
}
