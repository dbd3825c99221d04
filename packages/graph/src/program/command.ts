import { GraphError, shown } from "@skein/errors";
import { InvalidUpdateError } from "../errors/errors.ts";
import { requireObject } from "../errors/given.ts";
import { isSend, Send } from "./send.ts";

/** Under this symbol LangGraph's types keep a command's parameters. */
export const COMMAND_SYMBOL: unique symbol = Symbol.for("langgraph.command") as never;

export interface CommandParams<
  Resume = unknown,
  Update = Record<string, unknown>,
  Nodes extends string = string,
> {
  /** Answer to `interrupt()`: a value (any, falsy ones too), or a map from interrupt ids to values. */
  resume?: Resume;
  /** `Command.PARENT`: for the graph that called this one. Default: this graph. */
  graph?: string;
  /** State to write, as an object or as [key, value] pairs. */
  update?: Update | [string, unknown][];
  /** Where to go next, beside the edges. */
  goto?: Nodes | Send<Nodes> | (Nodes | Send<Nodes>)[] | undefined;
}

/** The type of a Command, for declarations. */
export class CommandInstance<
  Resume = unknown,
  Update = Record<string, unknown>,
  Nodes extends string = string,
> {
  readonly [COMMAND_SYMBOL]: CommandParams<Resume, Update, Nodes>;

  constructor(params: CommandParams<Resume, Update, Nodes>) {
    requireObject("new Command()", params, "Pass {update, goto} or {resume}.");
    this[COMMAND_SYMBOL] = params;
  }
}

/**
 * Writes to the state and says where to go next; or, as an input, resumes a run that waits.
 * Recognised by brand (I10); JSON from a client becomes one through {@link Command.fromJSON} only.
 *
 * @example
 * return new Command({ update: { plan }, goto: "execute" });
 * await graph.invoke(new Command({ resume: "yes" }), config);
 */
export class Command<
  Resume = unknown,
  Update extends Record<string, unknown> = Record<string, unknown>,
  Nodes extends string = string,
> extends CommandInstance<Resume, Update, Nodes> {
  static readonly PARENT = "__parent__";
  readonly lg_name = "Command";
  /** Tells LangChain's tools to hand it through as it is. */
  readonly lc_direct_tool_output = true;
  graph: string | undefined;
  update: Update | [string, unknown][] | undefined;
  resume: Resume | undefined;
  /** A list, unless somebody has set it since. */
  goto?: Nodes | Send<Nodes> | (Nodes | Send<Nodes>)[];

  constructor(params: CommandParams<Resume, Update, Nodes>) {
    super(params);
    this.graph = params.graph;
    this.update = params.update;
    this.resume = params.resume;
    this.goto = [...targetsOf(params)] as (Nodes | Send<Nodes>)[];
  }

  /**
   * Makes a command of a client's JSON, such as the body of a request. `goto` may hold node names
   * and `{node, args}`.
   *
   * @throws GraphError INVALID_INPUT when it is not an object of known members
   */
  static fromJSON(json: unknown): Command {
    if (typeof json !== "object" || json === null || Array.isArray(json)) throw notACommand();
    const { update, resume, goto, graph } = json as Record<string, unknown>;
    const targets = goto === undefined || goto === null ? [] : Array.isArray(goto) ? goto : [goto];
    const params: CommandParams = { goto: targets.map(targetFromJSON) };
    if (update !== undefined && update !== null) params.update = update as Record<string, unknown>;
    if (resume !== undefined) params.resume = resume;
    if (typeof graph === "string") params.graph = graph;
    return new Command(params);
  }
  /** How LangGraph reads a command, so that tools and middleware on Skein run in its agents too. */
  _updateAsTuples(): readonly (readonly [string, unknown])[] {
    return updatesOf(this);
  }
  toJSON(): Record<string, unknown> {
    const { goto } = this;
    const targets = targetsOf(this).map((target) => (isSend(target) ? target.toJSON() : target));
    return {
      lg_name: this.lg_name,
      update: this.update,
      resume: this.resume,
      goto: Array.isArray(goto) ? targets : targets[0],
    };
  }
}

/** LangGraph's commands too: tools of packages that stand on it return them. No JSON has the symbol. */
export function isCommand(value: unknown): value is Command {
  const like = value as Partial<Command> | null | undefined;
  return like?.lg_name === "Command" && COMMAND_SYMBOL in like;
}

/** Where a command leads. */
export function targetsOf({
  goto,
}: {
  readonly goto?: Command["goto"] | undefined;
}): readonly (string | Send)[] {
  // a choice that chose nothing is often written as false or ""
  if (!goto) return [];
  return Array.isArray(goto) ? goto : [goto];
}

/** What a command writes, as pairs. */
export function updatesOf(command: Pick<Command, "update">): readonly (readonly [string, unknown])[] {
  const { update } = command;
  if (!update) return [];
  const pairs = Array.isArray(update) ? update : typeof update === "object" && Object.entries(update);
  if (pairs && pairs.every((pair: unknown) => Array.isArray(pair))) return pairs;
  throw new InvalidUpdateError(
    `A command's update is an object, or a list of [key, value] pairs, not ${shown(update)}.`,
  );
}

function targetFromJSON(target: unknown): string | Send {
  if (typeof target === "string") return target;
  const { node, args } = (target ?? {}) as { node?: unknown; args?: unknown };
  if (typeof node !== "string") throw notACommand();
  return new Send(node, args);
}

function notACommand(): GraphError {
  return new GraphError(
    "INVALID_INPUT",
    "This JSON is no command. Pass an object with update, resume, goto (names or {node, args}) and graph.",
  );
}
