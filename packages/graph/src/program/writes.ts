import type { Awaitable } from "@skein/checkpointer";
import { andThen, forAll } from "../channels/and-then.ts";
import { GraphError, shown } from "@skein/errors";
import { InvalidUpdateError } from "../errors/errors.ts";
import { ParentCommand } from "./parent-command.ts";
import { branchChannel, END, START, TASKS } from "../ids/names.ts";
import { Command, isCommand, targetsOf, updatesOf } from "./command.ts";
import type { Branch, Program, ProgramNode, FreshState, Write } from "./program.ts";
import { isSend } from "./send.ts";
import { isSeveral, Several } from "./several.ts";

/** Asks a branch where to go; in a run that callbacks hear of they hear of that, too. */
export type Choose = (branch: Branch, state: Record<string, unknown>, config: unknown) => unknown;

const ask: Choose = (branch, state, config) => branch.choose(state, config);

/**
 * What a node's return value means: writes to the state, then where to go, by commands, edges and
 * branches, in this order. Answers at once unless a schema or a branch needs time.
 *
 * @param state - which the branches of this node see, with its writes
 * @throws ParentCommand when a command is for the calling graph
 */
export function writesOf(
  program: Program,
  node: ProgramNode,
  returned: unknown,
  state: FreshState,
  config: unknown,
  choose: Choose = ask,
): Awaitable<Write[]> {
  if (node.conveys !== undefined) return node.conveys(returned, config);
  // what most nodes return and lead to
  if (program.parse === undefined && isUpdate(returned)) {
    const writes = writesOfUpdate(node, returned, node.edges);
    return node.branches.length === 0 ? writes : branchAll(program, node, 0, writes, state, config, choose);
  }
  return writesOfAny(program, node, returned, state, config, choose);
}

function writesOfAny(
  program: Program,
  node: ProgramNode,
  returned: unknown,
  state: FreshState,
  config: unknown,
  choose: Choose,
): Awaitable<Write[]> {
  const writes: Write[] = [];
  const commands: Command[] = [];
  collect(node, returned, writes, commands);
  for (const command of commands) {
    if (command.graph === Command.PARENT) throw new ParentCommand(command);
  }
  const parsed = program.parse && validate(program.parse, writes);
  return andThen(parsed, () => route(program, node, commands, writes, state, config, choose));
}

/** Whether it is an object of the state, and no command, Send or list that may hold some. */
function isUpdate(returned: unknown): returned is Record<string, unknown> {
  if (typeof returned !== "object" || returned === null || Array.isArray(returned)) return false;
  return !isCommand(returned) && !isSend(returned);
}

/** An update, then edges, in an array of just the length that it needs: 10,000 tasks keep theirs until their step ends. */
function writesOfUpdate(
  { writable }: ProgramNode,
  update: Record<string, unknown>,
  edges: readonly Write[],
): Write[] {
  const keys = Object.keys(update);
  const writes = new Array<Write>(keys.length + edges.length); // oxlint-disable-line no-new-array
  let at = 0;
  for (const key of keys) if (writable.has(key)) writes[at++] = [key, update[key]];
  for (const edge of edges) writes[at++] = [edge[0], edge[1]];
  if (at < writes.length) writes.length = at;
  return writes;
}

/** Takes a return value apart: an object, a command, a Send, or an array with commands in it. */
function collect(node: ProgramNode, returned: unknown, writes: Write[], commands: Command[]): void {
  if (!returned) return;
  if (isSend(returned)) commands.push(new Command({ goto: returned }));
  else if (isCommand(returned)) {
    commands.push(returned);
    for (const [key, value] of updatesOf(returned)) if (node.writable.has(key)) writes.push([key, value]);
  } else if (Array.isArray(returned) && returned.some(isCommand)) {
    for (const element of returned) collect(node, element, writes, commands);
  } else if (isUpdate(returned)) writes.push(...writesOfUpdate(node, returned, []));
  else {
    const type = Array.isArray(returned) ? "array" : typeof returned;
    throw new InvalidUpdateError(
      `Expected node "${node.name}" to return an object or an array containing at least one Command object, received ${type}.`,
      {
        lc_error_code: "INVALID_GRAPH_NODE_RETURN_VALUE",
        code: "INVALID_NODE_RETURN",
        details: { node: node.name },
      },
    );
  }
}

type Parse = (key: string, value: unknown) => Awaitable<unknown>;

function validate(parse: Parse, writes: Write[]): Awaitable<void> {
  return forAll(writes, (write) =>
    andThen(parseWrite(parse, write[0], write[1]), (value) => void (write[1] = value)),
  );
}

function parseWrite(parse: Parse, key: string, value: unknown): Awaitable<unknown> {
  if (!isSeveral(value)) return parse(key, value);
  const writes = [...value.writes];
  const parsed = forAll(writes.entries(), ([i, write]) =>
    andThen(parse(key, write), (one) => void (writes[i] = one)),
  );
  return andThen(parsed, () => new Several(writes, value.value));
}

function route(
  program: Program,
  node: ProgramNode,
  commands: readonly Command[],
  writes: Write[],
  state: FreshState,
  config: unknown,
  choose: Choose,
): Awaitable<Write[]> {
  for (const command of commands) {
    for (const target of targetsOf(command)) go(program, node, target, writes);
  }
  for (const edge of node.edges) writes.push([edge[0], edge[1]]);
  // an array that was pushed to has room for 17
  if (node.branches.length === 0) return writes.slice();
  return branchAll(program, node, 0, writes, state, config, choose);
}

function branchAll(
  program: Program,
  node: ProgramNode,
  from: number,
  writes: Write[],
  state: FreshState,
  config: unknown,
  choose: Choose,
): Awaitable<Write[]> {
  for (let i = from; i < node.branches.length; i += 1) {
    const branch = node.branches[i] as Branch;
    const chosen = choose(branch, state.readFresh(program.visibleKeys, writes), config);
    if (chosen instanceof Promise) {
      return chosen.then((value) => {
        follow(program, node, branch, value, writes);
        return branchAll(program, node, i + 1, writes, state, config, choose);
      });
    }
    follow(program, node, branch, chosen, writes);
  }
  return writes.slice();
}

function follow(program: Program, node: ProgramNode, branch: Branch, chosen: unknown, writes: Write[]): void {
  for (const choice of Array.isArray(chosen) ? chosen : [chosen]) {
    const target = isSend(choice) || branch.ends === undefined ? choice : branch.ends.get(String(choice));
    if (!target) {
      const known =
        branch.ends === undefined ? "" : ` Its path map knows: ${[...branch.ends.keys()].join(", ")}.`;
      throw new GraphError(
        "UNKNOWN_NODE",
        `Branch "${branch.name}" of "${node.name}" returned an unknown or null destination (${String(choice)}).${known}`,
        { details: { node: node.name, branch: branch.name } },
      );
    }
    go(program, node, target, writes);
  }
}

/** Writes what leads to a destination. */
export function go(
  program: Program,
  node: { readonly name: string },
  target: unknown,
  writes: Write[],
): void {
  if (isSend(target)) {
    if (target.node === END) throw new InvalidUpdateError("Cannot send a packet to the END node.");
    assertNode(program, node.name, target.node);
    writes.push([TASKS, target]);
    return;
  }
  if (target === END) return;
  const channel = typeof target === "string" ? branchChannel(target) : undefined;
  // START has none, and neither has a node of a program built by hand
  if (channel === undefined || !program.channels.has(channel)) throw noNode(node.name, target);
  writes.push([channel, node.name]);
}

function assertNode(program: Program, from: string, target: unknown): void {
  if (typeof target === "string" && target !== START && program.nodes.has(target)) return;
  throw noNode(from, target);
}

function noNode(from: string, target: unknown): InvalidUpdateError {
  return new InvalidUpdateError(
    `"${from}" wants to go to ${shown(target)}, which is no node of this graph.`,
    { code: "UNKNOWN_NODE", details: { from, target } },
  );
}
