import { createTokenCounter } from "@skein/context";
import { HumanMessage } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";
import type { Command } from "@skein/graph";
import type { FolderAgent } from "../agent.ts";
import { advised, BadInput, oneLine } from "../errors.ts";
import { forkThread, previousTurn } from "../fork.ts";
import type { ChatSessions } from "../sessions.ts";
import type { Store } from "../store.ts";
import { describe, speaker } from "../ui/messages.ts";
import type { ChatEvent, Show } from "./events.ts";
import { APPROVAL_HELP, Question } from "./approval.ts";
import { runTurn } from "./turn.ts";

const HELP = [
  "/context         what the model sees now",
  "/history [n]     the last n messages of the complete history (10)",
  "/fork [id]       go on from an earlier checkpoint (default: the end of the turn before the last)",
  "/resume          finish a turn that was stopped (an empty line does the same)",
  "/reset           end this session and begin another; the thread stays stored",
  "/quit            leave (Ctrl-C stops a run, and leaves at the prompt)",
].join("\n");

const OVER = "Another program has ended this session. Begin another one with /reset.";

export interface SessionOptions {
  readonly agent: FolderAgent;
  readonly store: Store;
  readonly sessions: ChatSessions;
  readonly db: string;
  readonly show: Show;
  readonly model: string;
  readonly dir: string;
  readonly thread: string;
  readonly newThreadId: () => string;
}

/** One chat: the thread it is on, and what can be said to it. */
export class Session {
  private readonly options: SessionOptions;
  private thread: string;
  private running: AbortController | undefined;
  private question: Question | undefined;
  /** A run failed; the chat goes on, but its exit code says so. */
  failed = false;

  constructor(options: SessionOptions) {
    this.options = options;
    this.thread = options.thread;
  }

  get threadId(): string {
    return this.thread;
  }

  async announce(started: Extract<ChatEvent, { type: "thread" }>["started"]): Promise<void> {
    const { show, model, dir } = this.options;
    show({
      type: "thread",
      thread: this.thread,
      started,
      model,
      dir,
      messages: await this.options.store.historyLength(this.thread),
    });
    const next = await this.unfinished();
    this.question = next.length > 0 ? await Question.of(this.options.agent, this.thread) : undefined;
    if (this.question) this.ask(this.question);
    else if (next.length > 0) show({ type: "unfinished", next });
  }

  /** Stops the run that is on. False when there is none, or it is being stopped already. */
  interrupt(): boolean {
    if (!this.running || this.running.signal.aborted) return false;
    this.running.abort();
    return true;
  }

  /** Takes one line. False when the chat is over. */
  async take(line: string): Promise<boolean> {
    const text = line.trim();
    const [command = "", ...rest] = text.split(/\s+/);
    const { show } = this.options;
    if (this.question && !command.startsWith("/")) {
      await this.answer(this.question, text);
      return true;
    }
    switch (command) {
      case "/quit":
      case "/exit":
        return false;
      case "/help":
        show({ type: "info", text: HELP });
        return true;
      case "/context":
        await this.showContext();
        return true;
      case "/history":
        await this.showHistory(rest[0]);
        return true;
      case "/fork":
        await this.fork(rest[0]);
        return true;
      case "/reset":
        await this.reset();
        return true;
      case "":
      case "/resume":
        if ((await this.unfinished()).length > 0) await this.run(undefined);
        else if (command !== "")
          show({ type: "info", text: "There is nothing to resume: the last turn is complete." });
        return true;
    }
    if (command.startsWith("/")) show({ type: "info", text: `There is no ${command}.\n${HELP}` });
    else await this.run(new HumanMessage(text));
    return true;
  }

  private async reset(): Promise<void> {
    const { sessions, store, show, newThreadId } = this.options;
    const { thread } = this;
    // nothing was said: there is no session to end
    if ((await store.historyLength(thread)) > 0) {
      const { state, file, error } = await sessions.end(thread);
      show({
        type: "session-end",
        thread,
        state,
        ...(file === undefined ? {} : { file }),
        ...(error === undefined ? {} : { error: oneLine(error) }),
      });
    }
    this.thread = newThreadId();
    await this.announce("new");
  }

  /** Whether the next line is taken for a decision. */
  get asks(): boolean {
    return this.question !== undefined;
  }

  private ask(question: Question): void {
    const { action, at, of } = question.current;
    this.options.show({ type: "approval", name: action.name, args: action.args, at, of });
  }

  private async answer(question: Question, line: string): Promise<void> {
    if (!question.decide(line)) {
      this.options.show({ type: "info", text: `That is no decision. ${APPROVAL_HELP}` });
      return;
    }
    if (question.answer) await this.run(question.answer);
    else this.ask(question);
  }

  private async run(input: HumanMessage | Command | undefined): Promise<void> {
    const { agent, show } = this.options;
    const controller = new AbortController();
    const asked = this.question;
    this.running = controller;
    this.question = undefined;
    try {
      if (await this.options.sessions.isOver(this.thread)) throw new BadInput(OVER);
      await runTurn(agent, this.thread, input, show, controller.signal);
      this.question = await Question.of(agent, this.thread);
      if (this.question) this.ask(this.question);
    } catch (error) {
      if (controller.signal.aborted) {
        show({ type: "stopped" });
      } else {
        this.failed = true;
        show({ type: "error", message: whatFailed(error, this.thread) ?? (await this.howToGoOn(error)) });
      }
      if (asked && !(error instanceof BadInput)) await this.askAgain(asked, error);
    } finally {
      this.running = undefined;
    }
  }

  /** The message is stored with the checkpoint of its turn, which then has tasks left. */
  private async howToGoOn(failure: unknown): Promise<string> {
    const next = await this.unfinished().catch(() => undefined);
    if (next === undefined) return oneLine(failure);
    return next.length > 0
      ? `${oneLine(failure)} (what was finished is saved; press Enter to go on with the turn)`
      : `${oneLine(failure)} (nothing of the message is saved: send it again)`;
  }

  /** What still waits after a run that was refused or failed: the next decision would be taken for a message. */
  private async askAgain(asked: Question, error: unknown): Promise<void> {
    const { agent, show } = this.options;
    this.question = await Question.of(agent, this.thread).catch(() => asked.anew());
    if (this.question) this.ask(this.question);
    else if (GraphError.is(error, "THREAD_CONFLICT"))
      show({ type: "info", text: "What was asked has been answered there meanwhile." });
  }

  private async fork(checkpoint: string | undefined): Promise<void> {
    const { agent, store, show } = this.options;
    try {
      const from = checkpoint ?? (await previousTurn(agent, this.thread));
      const { head, forkedFrom } = await forkThread(agent, store.saver, this.thread, from, this.options.db);
      show({ type: "info", text: `The head is now ${head}, a branch from ${forkedFrom}.` });
      await this.announce("fork");
    } catch (error) {
      if (!(error instanceof BadInput) && !GraphError.is(error)) throw error;
      show({ type: "error", message: oneLine(advised(error)) });
    }
  }

  private async showContext(): Promise<void> {
    const { store, show } = this.options;
    const { messages: context } = await store.context(this.thread);
    const total = await store.historyLength(this.thread);
    show({
      type: "context",
      messages: context.map(toRow),
      tokens: context.length === 0 ? 0 : createTokenCounter().messages(context),
      total,
    });
  }

  private async showHistory(last = "10"): Promise<void> {
    const wanted = Number(last);
    if (!Number.isSafeInteger(wanted) || wanted < 1) {
      this.options.show({ type: "error", message: `/history takes a whole number above 0, not "${last}".` });
      return;
    }
    const history = await this.options.store.history(this.thread);
    const messages = history.slice(-wanted).map(toRow);
    this.options.show({ type: "history", messages, total: history.length });
  }

  private async unfinished(): Promise<readonly string[]> {
    const config = { configurable: { thread_id: this.thread } };
    return (await this.options.agent.getState(config, { archive: false })).next;
  }
}

/** What the user can do where no message was taken, as by a thread that another run holds; else undefined. */
function whatFailed(error: unknown, thread: string): string | undefined {
  if (GraphError.is(error, "THREAD_CONFLICT")) {
    return `Another program is running a turn on thread "${thread}". Nothing was sent: try again when it has ended, or /reset.`;
  }
  if (GraphError.is(error, "NOTHING_TO_RESUME")) {
    return "Nothing was sent: what was asked has been answered elsewhere meanwhile.";
  }
  return error instanceof BadInput ? oneLine(error) : undefined;
}

const toRow = (message: Parameters<typeof speaker>[0]) => ({
  id: message.id,
  speaker: speaker(message),
  text: describe(message, 2_000),
});
