import { Command } from "@skein/graph";
import {
  humanInTheLoopMiddleware,
  type ActionRequest,
  type Decision,
  type HITLRequest,
  type HITLResponse,
  type InterruptOn,
} from "@skein/middleware/human-approval";
import type { FolderAgent } from "../agent.ts";
import { BadInput } from "../errors.ts";

export const APPROVAL_HELP =
  'y: run it, n [why]: don\'t, e {"argument": ...}: run it with other arguments, = text: that is its result';

/**
 * Asks before tools run: before every tool, or before those that are named, divided by commas.
 * @throws BadInput for a name that no tool has: nobody would be asked
 */
export function approval(tools: string, known: readonly string[]) {
  const names = new Set(tools.split(",").map((name) => name.trim()));
  const unknown = [...names].filter((name) => name !== "all" && !known.includes(name));
  if (unknown.length > 0) {
    throw new BadInput(
      `--approve: there is no tool "${unknown.join('", "')}"; there are ${known.join(", ")}.`,
    );
  }
  const interruptOn: InterruptOn = ({ toolCall }) =>
    (names.has("all") || names.has(toolCall.name)) && {
      allowedDecisions: ["approve", "edit", "reject", "respond"],
    };
  return humanInTheLoopMiddleware({ interruptOn });
}

/** Calls that wait for decisions, asked about one after the other. */
export class Question {
  private readonly request: HITLRequest;
  private readonly id: string | undefined;
  private readonly decisions: Decision[] = [];

  /** @param id - of the interrupt: a decision is for what was asked, not for what waits by then */
  constructor(request: HITLRequest, id: string | undefined) {
    this.request = request;
    this.id = id;
  }

  /** What a thread waits for, if it waits for decisions. Only an agent with approval can tell. */
  static async of(agent: FolderAgent, thread: string): Promise<Question | undefined> {
    const config = { configurable: { thread_id: thread } };
    const { tasks } = await agent.getState(config, { archive: false });
    const asked = tasks
      .flatMap(({ interrupts }) => interrupts)
      .find(({ value }) => Array.isArray((value as Partial<HITLRequest>)?.actionRequests));
    return asked === undefined ? undefined : new Question(asked.value as HITLRequest, asked.id);
  }

  /** The same question, of which nothing is decided. */
  anew(): Question {
    return new Question(this.request, this.id);
  }

  /** The call that is asked about now, and which of how many it is. */
  get current(): { readonly action: ActionRequest; readonly at: number; readonly of: number } {
    const { actionRequests } = this.request;
    const at = this.decisions.length;
    return { action: actionRequests[at] as ActionRequest, at: at + 1, of: actionRequests.length };
  }

  /** Takes an answer about the current call. False when it is none. */
  decide(line: string): boolean {
    const decision = decisionOf(line, this.current.action);
    if (decision !== undefined) this.decisions.push(decision);
    return decision !== undefined;
  }

  /** What the run is resumed with, once every call is decided. */
  get answer(): Command | undefined {
    if (this.decisions.length < this.request.actionRequests.length) return undefined;
    const response: HITLResponse = { decisions: this.decisions };
    return new Command({ resume: this.id === undefined ? response : { [this.id]: response } });
  }
}

function decisionOf(line: string, { name }: ActionRequest): Decision | undefined {
  const [word = "", rest = ""] = split(line);
  switch (word.toLowerCase()) {
    case "y":
    case "yes":
      return rest === "" ? { type: "approve" } : undefined;
    case "n":
    case "no":
      return rest === "" ? { type: "reject" } : { type: "reject", message: `The user said no: ${rest}` };
    case "=":
      return rest === "" ? undefined : { type: "respond", message: rest };
    case "e":
    case "edit": {
      const args = parseArgs(rest);
      return args === undefined ? undefined : { type: "edit", editedAction: { name, args } };
    }
  }
  return undefined;
}

function split(line: string): string[] {
  const [, word, rest] = /^(=|\S+)\s*(.*)$/su.exec(line.trim()) ?? [];
  return [word ?? "", rest ?? ""];
}

function parseArgs(text: string): Record<string, unknown> | undefined {
  try {
    const args: unknown = JSON.parse(text);
    return typeof args === "object" && args !== null && !Array.isArray(args)
      ? (args as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
