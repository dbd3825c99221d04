import type { Task } from "../engine/task.ts";
import type { RunEvent } from "../run/events.ts";
import type { Run, RunListener } from "../run/run.ts";

const [BLUE, GREEN, YELLOW, BOLD] = ["\u001B[34m", "\u001B[32m", "\u001B[33;1m", "\u001B[1m"];
const OFF = "\u001B[0m";

/**
 * Prints to the console what each step of a run begins with, does and writes. Loaded by itself, and so
 * without imports: what it shared with the engine would become a third file of a page.
 */
export class DebugPrinter implements RunListener {
  readonly #outputOf: (run: Run) => unknown;

  constructor(outputOf: (run: Run) => unknown) {
    this.#outputOf = outputOf;
  }
  on(event: RunEvent, run: Run): void {
    const { step } = run.snapshot;
    switch (event.type) {
      case "step-planned":
        if (event.tasks.length === 0) return;
        return print(step - 1, "checkpoint", `State at the end of step ${step - 1}:`, [
          text(this.#outputOf(run), 2),
        ]);
      case "tasks-start": {
        const lines = event.tasks.map(
          ({ node, input }) => `- ${GREEN}${node.name}${OFF} -> ${text(input, 2)}`,
        );
        return print(step, "tasks", `Starting step ${step} with ${counted(lines, "task")}:`, lines);
      }
      case "state":
        // the step that wrote is over
        return event.tasks === "all" ? undefined : printWrites(step - 1, event.tasks, run);
      default:
        return undefined;
    }
  }
}

function printWrites(step: number, tasks: readonly Task[], run: Run): void {
  const written = new Map<string, string[]>();
  for (const [key, value] of tasks.flatMap((task) => [...task.writes])) {
    if (!run.options.outputKeys.includes(key)) continue;
    written.set(key, [...(written.get(key) ?? []), text(value)]);
  }
  const lines = [...written].map(([key, values]) => `- ${YELLOW}${key}${OFF} -> ${values.join(", ")}`);
  print(step, "writes", `Finished step ${step} with writes to ${counted(lines, "key")}:`, lines);
}

function print(step: number, what: string, title: string, lines: readonly string[]): void {
  console.log([`${BLUE}[${step}:${what}]${OFF} ${BOLD}${title}${OFF}`, ...lines].join("\n"));
}

function counted(list: readonly unknown[], noun: string): string {
  return `${list.length} ${noun}${list.length === 1 ? "" : "s"}`;
}

/** JSON, or what comes near to it: printing must not end a run. */
function text(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? String(value);
  } catch {
    return String(value);
  }
}
