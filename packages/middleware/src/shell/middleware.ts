import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { createMiddleware } from "@skein/agent";
import { requireKnownOptions, type OptionKind, shown } from "@skein/errors";
import { z } from "zod";
import { invalidOption, refused, requireAmount, requireWhole } from "../shared/checks.ts";
import { runCommand, type Command, type Ran, type RunOptions } from "./run.ts";

export interface ShellToolOptions {
  /** The folder that commands begin in. It keeps nothing in: commands can reach whatever the process can. */
  workspaceRoot: string;
  /** Milliseconds that a command may take. Default: 30,000. */
  timeout?: number;
  /** Most lines of output that the model sees, from the beginning and the end. Default: 100. */
  maxOutputLines?: number;
  /** Most characters of output that are kept. Default: 100,000. */
  maxOutputChars?: number;
  /**
   * Programs that may be run. With it a command is a program and plain words; it runs without a shell,
   * and quotes, variables, pipes and the like are refused. Default: any command, by `/bin/sh`.
   */
  commands?: readonly string[];
  /**
   * Asked before a command runs. A text is the reason for a refusal; whatever else is not `true` refuses
   * too. Default: every command may run.
   */
  allow?: (command: string) => boolean | string | Promise<boolean | string>;
  /**
   * Variables of the environment beside PATH, HOME, LANG, LC_ALL and TMPDIR, so that keys are not handed on.
   * Default: none.
   */
  env?: Readonly<Record<string, string>>;
  /** Default: `"shell"`. */
  toolName?: string;
  /** Default: says what the tool does and which limits it has. */
  toolDescription?: string;
}

/** Variables that commands get of this process. */
const PASSED_ON = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"];
/** What has no meaning to a shell. */
const PLAIN = /^[\w./:=@%+,\s-]+$/u;

const OPTIONS: Readonly<Record<keyof ShellToolOptions, OptionKind>> = {
  workspaceRoot: "text",
  timeout: "number",
  maxOutputLines: "number",
  maxOutputChars: "number",
  commands: "texts",
  allow: "function",
  env: "object",
  toolName: "text",
  toolDescription: "text",
};

/**
 * Gives the model a tool that runs commands, each in a process of its own with limits of time and
 * output. Changes of folder and variables do not last from one command to the next.
 *
 * Commands run with the rights of this process. Put approval before it, or run in a container; the
 * number of commands is limited by `toolCallLimitMiddleware({ toolName: "shell", ... })`.
 *
 * @throws GraphError INVALID_CONFIGURATION, also on Windows
 *
 * @example
 * createAgent({
 *   model,
 *   checkpointer,
 *   middleware: [
 *     shellToolMiddleware({ workspaceRoot: "./work", timeout: 10_000 }),
 *     humanInTheLoopMiddleware({ interruptOn: { shell: true } }),
 *   ],
 * });
 */
export function shellToolMiddleware(options: ShellToolOptions) {
  requireKnownOptions("shellToolMiddleware", options, OPTIONS);
  const run = checked(options);
  const { toolName: name = "shell", commands, allow } = options;
  const shell = tool(
    async ({ command }: { command: string }, config: RunnableConfig & { toolCall?: { id?: string } }) => {
      const parsed = commandOf(command, commands);
      // a rule that says nothing must not pass for none
      const answer: unknown = allow === undefined ? true : await allow(command);
      if (answer !== true) throw refused(reasonOf(answer));
      const ran = await runCommand(parsed, run, config.signal);
      return new ToolMessage({
        content: resultOf(ran, run.timeout),
        tool_call_id: config.toolCall?.id ?? "",
        name,
        status: ran.code === 0 && ran.why === "exit" ? "success" : "error",
      });
    },
    {
      name,
      description: options.toolDescription ?? describe(run, commands),
      schema: z.object({ command: z.string().min(1).max(20_000).describe("The command") }),
    },
  );
  return createMiddleware({ name: "ShellToolMiddleware", tools: [shell] });
}

function checked(options: ShellToolOptions): RunOptions {
  const {
    workspaceRoot,
    timeout = 30_000,
    maxOutputLines = 100,
    maxOutputChars = 100_000,
    env = {},
  } = options;
  if (process.platform === "win32")
    throw invalidOption("The shell tool kills process groups, which Windows does not have.");
  requireAmount("timeout", timeout);
  requireWhole("maxOutputLines", maxOutputLines, 2);
  requireWhole("maxOutputChars", maxOutputChars, 2);
  if (typeof workspaceRoot !== "string" || workspaceRoot === "")
    throw invalidOption(`workspaceRoot must be a folder, not ${shown(workspaceRoot)}.`);
  const cwd = resolve(workspaceRoot);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw invalidOption(`workspaceRoot "${workspaceRoot}" is no folder.`);
  }
  const passed = PASSED_ON.flatMap((key) => {
    const value = process.env[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    cwd,
    timeout,
    maxOutputLines,
    maxOutputChars,
    env: { ...Object.fromEntries(passed), TERM: "dumb", ...env },
  };
}

function reasonOf(answer: unknown): string {
  if (typeof answer === "string" && answer !== "") return answer;
  const why = answer === false || answer === "" ? "" : ` Its rule said ${shown(answer)} instead of true.`;
  return `This command is not allowed.${why}`;
}

/** @throws GraphError INVALID_INPUT for what is not among the commands */
function commandOf(command: string, commands: readonly string[] | undefined): Command {
  if (commands === undefined) return { file: "/bin/sh", args: ["-c", command] };
  const [file = "", ...args] = command.trim().split(/\s+/u);
  if (!commands.includes(file))
    throw refused(`"${file}" can't be run here. Commands: ${commands.join(", ")}.`);
  if (!PLAIN.test(command)) {
    throw refused(
      "Here a command is a program and plain words, without quotes, variables, pipes or other signs of a shell.",
    );
  }
  return { file, args };
}

function resultOf({ output, code, why }: Ran, timeout: number): string {
  const text = output === "" ? "(no output)" : output;
  if (why === "timeout") return `${text}\nStopped: it took longer than ${timeout} ms.`;
  if (why === "signal") return `${text}\nIt was killed.`;
  return code === 0 ? text : `${text}\nExit code: ${code}`;
}

function describe({ timeout, maxOutputLines }: RunOptions, commands: readonly string[] | undefined): string {
  const what =
    commands === undefined
      ? "Runs a command by /bin/sh"
      : `Runs one of ${commands.join(", ")}, without a shell,`;
  return `${what} and returns its output. Every command begins in the same folder; nothing goes on after it. At most ${timeout} ms and ${maxOutputLines} lines of output.`;
}
