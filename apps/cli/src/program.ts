import { Command, CommanderError, Option } from "commander";
import pc from "picocolors";
import { BadInput, codeOf, EXIT, exitCodeOf, oneLine } from "./errors.ts";
import { MODEL_HELP } from "./model/providers.ts";
import { PRESET_NAMES } from "./presets.ts";
import { command, systemOption, wholeNumber, type Ended } from "./subcommand.ts";
import { commandLine, typedPath } from "./ui/invocation.ts";
import { addKeeping, addTravelling } from "./verbs.ts";

/**
 * Runs the command that the arguments name and says how it ended: 0 fine, 1 failed, 2 bad input. A signal
 * ends the process: see `onStop`.
 * Each command is imported only when it runs, so that `skein --help` loads none.
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  let code: number = EXIT.ok;
  const program = build((ended) => {
    code = ended;
  });
  const complete = withCommand(args);
  try {
    requireKnownHelp(program, complete);
    await program.parseAsync(complete, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    const bad = error instanceof CommanderError;
    const text = bad
      ? `${oneLine(error).replace(/^error: /, "")} ${helpFor(program, complete, complete.length > args.length)}`
      : oneLine(error) + codeOf(error);
    process.stderr.write(`${pc.red("skein:")} ${text}\n`);
    if (process.env["SKEIN_DEBUG"] && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    return bad ? EXIT.badInput : exitCodeOf(error);
  }
}

/** Without a command a person gets a chat and a script gets the tour, with the options that were given. */
function withCommand(args: readonly string[]): string[] {
  const [first] = args;
  const own = first !== undefined && (!first.startsWith("-") || /^(-h|--help|-V|--version)$/.test(first));
  if (own) return [...args];
  return [process.stdin.isTTY && process.stdout.isTTY ? "chat" : "tour", ...args];
}

/** Commander answers `help NONSENSE` with the whole help and an error without a text. */
function requireKnownHelp(program: Command, [command, about]: readonly string[]): void {
  if (command !== "help" || about === undefined || about.startsWith("-")) return;
  if (about === "help" || program.commands.some((known) => known.name() === about)) return;
  throw new BadInput(`There is no command "${about}"; ${commandLine(["--help"])} lists them.`);
}

/** Where to read on: the help of the command that was meant, which nobody named if it was the usual one. */
function helpFor(program: Command, [command = ""]: readonly string[], implied: boolean): string {
  const known = program.commands.some((other) => other.name() === command);
  const which = implied ? `of ${command}, the command when none is named; ` : "";
  return `(${which}see ${commandLine(known ? [command, "--help"] : ["--help"])})`;
}

function build(ended: Ended): Command {
  const program = new Command("skein")
    .description(
      "Threads that never end: chat with an agent about a folder, look at its threads, fork and replay them.\n" +
        "Without a command: chat in a terminal, else tour.",
    )
    .version("0.1.0")
    .configureOutput({ writeErr: () => {} })
    .exitOverride()
    .addHelpText(
      "after",
      "\nExit codes: 0 fine, 1 a run failed, an invariant broke or a command ended halfway, 2 bad input (nothing was\n" +
        "changed), 128 + its number for a signal that stopped a tour or a replay (Ctrl-C: 130).",
    );
  addTalking(program, ended);
  addLooking(program, ended);
  addTravelling(program, ended);
  addKeeping(program, ended);
  addProving(program, ended);
  return program;
}

function addTalking(program: Command, ended: Ended): void {
  command(program, "chat", "Chat with an agent that can list, read and search a folder and show its git log")
    .addOption(
      new Option(
        "--thread <id>",
        "go on with this thread (default: the latest one that is no replay)",
      ).conflicts("new"),
    )
    .option("--new [id]", "start a new thread, under this id if given")
    .option("--dir <path>", "folder that the agent looks at", typedPath, ".")
    .option(
      "--model <model>",
      `${MODEL_HELP} (default: what the keys in the environment allow, else offline)`,
    )
    .addOption(presetOption())
    .option("--approve <tools>", "ask before tools run: all, or their names divided by commas")
    .option("--offload <folder>", "write the history of a session here when /reset ends it", typedPath)
    .action(async (options) => {
      const { chat } = await import("./commands/chat.ts");
      ended(await chat(options));
    });
}

function addLooking(program: Command, ended: Ended): void {
  command(program, "threads", "List the threads of the database").action(async (options) => {
    const { threads } = await import("./commands/threads.ts");
    ended(await threads(options));
  });
  command(program, "show", "Show what the model sees of a thread beside its complete history")
    .argument("<thread>", "id of the thread")
    .option("--last <n>", "only the last n messages of the history", wholeNumber)
    .action(async (thread, options) => {
      const { show } = await import("./commands/show.ts");
      ended(await show(thread, options));
    });
  command(program, "history", "List the checkpoints of a thread, newest first")
    .argument("<thread>", "id of the thread")
    .option("--limit <n>", "most checkpoints to list", wholeNumber, 100)
    .action(async (thread, options) => {
      const { history } = await import("./commands/history.ts");
      ended(await history(thread, options));
    });
  command(
    program,
    "fork",
    "Go on from an earlier checkpoint: it starts a branch and becomes the thread's head",
  )
    .argument("<thread>", "id of the thread")
    .argument("<checkpoint>", "id of the checkpoint, or a part of it that no other has")
    .option("--to <id>", "leave the thread alone: fork a copy of it under this id")
    .action(async (thread, checkpoint, options) => {
      const { fork } = await import("./commands/fork.ts");
      ended(await fork(thread, checkpoint, options));
    });
}

function addProving(program: Command, ended: Ended): void {
  command(
    program,
    "replay",
    "Play recorded conversations through the graph, the summarization and the database, and check both",
  )
    .argument("<file>", 'JSON Lines: one {"id", "messages": [{"role", "content", ...}]} a line')
    .addOption(presetOption())
    .option("--window <n>", "messages that stay in the context after a compaction", wholeNumber)
    .option("--trigger <n>", "messages at which the context is compacted", wholeNumber)
    .option("--offload <n>", "tokens above which a tool output is offloaded", wholeNumber)
    .option("--clear <n>", "tokens of the prompt at which old tool outputs are cleared", wholeNumber)
    .option("--join", "all conversations as one thread", false)
    .addOption(systemOption())
    .action(async (file, options) => {
      const { replay } = await import("./commands/replay.ts");
      ended(await replay(typedPath(file), options));
    });
  command(
    program,
    "tour",
    "An agent works through a folder by itself, is killed, resumes; a report proves that nothing was lost",
  )
    .option("--messages <n>", "length of the thread", wholeNumber, 300)
    .option("--dir <path>", "folder that the agent looks at", typedPath, ".")
    .addOption(presetOption())
    .action(async (options) => {
      const { tour } = await import("./commands/tour.ts");
      ended(await tour(options));
    });
  program.command("tour-worker", { hidden: true }).action(async () => {
    const { tourWorker } = await import("./tour/worker.ts");
    ended(await tourWorker());
  });
  program.command("tour-check", { hidden: true }).action(async () => {
    const { tourCheck } = await import("./tour/check.ts");
    ended(await tourCheck());
  });
}

function presetOption(): Option {
  return new Option("--preset <name>", "how the context is kept small").choices(PRESET_NAMES);
}
