import { Option, type Command } from "commander";
import { command, databasePath, formatOption, systemOption, wholeNumber, type Ended } from "./subcommand.ts";
import { silently, typedPath } from "./ui/invocation.ts";

const CHECKPOINT = "id of a checkpoint, or a part of it that no other has";

/** Commands that go back and forward in a thread. */
export function addTravelling(program: Command, ended: Ended): void {
  command(program, "diff", "Show what changed between two checkpoints of a thread")
    .argument("<thread>", "id of the thread")
    .argument("<before>", CHECKPOINT)
    .argument("<after>", CHECKPOINT)
    .action(async (thread, before, after, options) => {
      const { diff } = await import("./commands/diff.ts");
      ended(await diff(thread, before, after, options));
    });
  command(program, "branches", "List the branches of a thread; switch to one, or delete one")
    .argument("<thread>", "id of the thread")
    .option("--switch <tip>", "make the tip of this branch the head")
    .addOption(new Option("--delete <tip>", "remove what only this branch has").conflicts("switch"))
    .action(async (thread, options) => {
      const { branches } = await import("./commands/branches.ts");
      ended(await branches(thread, options));
    });
  command(program, "undo", "Take turns of a thread back; redo brings them again")
    .argument("<thread>", "id of the thread")
    .argument("[turns]", "how many", wholeNumber, 1)
    .action(async (thread, turns, options) => {
      const { undo } = await import("./commands/undo.ts");
      ended(await undo(thread, turns, options));
    });
  command(program, "redo", "Bring turns again that were taken back, of the branch that was written to last")
    .argument("<thread>", "id of the thread")
    .argument("[turns]", "how many", wholeNumber, 1)
    .action(async (thread, turns, options) => {
      const { redo } = await import("./commands/undo.ts");
      ended(await redo(thread, turns, options));
    });
  command(program, "search", "Find messages of a thread by their words, in any language")
    .argument("<thread>", "id of the thread")
    .argument("<query>", "words; nothing in it is an operator")
    .option("--limit <n>", "most messages to show", wholeNumber, 20)
    .option("--any", "any of the words, not all", false)
    .option("--cursor <cursor>", "what the page before gave")
    .action(async (thread, query, options) => {
      const { search } = await import("./commands/search.ts");
      ended(await search(thread, query, options));
    });
}

const repeated = (value: string, before: string[]): string[] => [...before, value];

/** Commands that move, shrink and erase what is stored. */
export function addKeeping(program: Command, ended: Ended): void {
  command(program, "export", "Write a thread as JSON Lines, with all checkpoints and branches")
    .argument("<thread>", "id of the thread")
    .argument("[file]", `a new file (default: stdout${silently()})`)
    .action(async (thread, file, options) => {
      const { exportTo } = await import("./commands/transfer.ts");
      ended(await exportTo(thread, file === undefined ? undefined : typedPath(file), options));
    });
  command(program, "import", "Store a thread that export wrote, or recorded conversations")
    .argument("<file>", 'the JSON Lines; of conversations one {"id", "messages": [...]} a line')
    .option("--as <id>", "store it under this id (default: its own)")
    // without a default: given for an exported thread, it is refused
    .addOption(systemOption().default(undefined))
    .addOption(formatOption())
    .action(async (file, options) => {
      const { importFrom } = await import("./commands/transfer.ts");
      ended(await importFrom(typedPath(file), options));
    });
  command(
    program,
    "migrate",
    "Copy threads from a database of LangGraph's SqliteSaver; passes over those copied before",
  )
    .argument("<from>", "the other database")
    .argument("[thread]", "id of a thread (default: all)")
    .option("--as <id>", "store that thread under this id")
    .action(async (from, thread, options) => {
      const { migrate } = await import("./commands/migrate.ts");
      ended(await migrate(databasePath(from), thread, options));
    });
  command(program, "prune", "Remove old checkpoints of a thread; heads, forks and open questions stay")
    .argument("<thread>", "id of the thread")
    .option("--keep-last <n>", "keep the newest n checkpoints of each branch", wholeNumber)
    .option("--keep-turns", "keep the checkpoints at which a turn ended or began", false)
    .option("--max-age-days <n>", "keep what is younger", wholeNumber)
    .action(async (thread, options) => {
      const { prune } = await import("./commands/prune.ts");
      ended(await prune(thread, options));
    });
  command(
    program,
    "erase",
    "Erase a message in a thread and in its copies by fork, or a whole thread, and clean the files. An imported copy is a thread of its own",
  )
    .argument("[thread]", "id of the thread")
    .argument("[message]", "id of the message")
    .addOption(new Option("--thread", "the whole thread").default(false).conflicts("text"))
    .addOption(
      new Option("--clean-up", "only clean the files, of what was erased before; takes no thread")
        .default(false)
        .conflicts(["thread", "text"]),
    )
    .option("--text <text>", "erase this text in the thread as well; may be repeated", repeated, [])
    .action(async (thread, message, options) => {
      const { erase } = await import("./commands/erase.ts");
      ended(await erase(thread, message, options));
    });
}
