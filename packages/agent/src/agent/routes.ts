import { Send } from "@skein/graph";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { AgentBuiltInState, JumpToTarget } from "../runtime.ts";
import { endsByLimit } from "./iterations.ts";
import type { RESPONSE_KEY } from "./state.ts";
import { nextGroup } from "../tools/policy.ts";
import { endsDirectly, readTurn, type Turn } from "./turn.ts";

/** Names of the two nodes that every agent is about, as in LangChain. */
export const MODEL_NODE = "model_request";
export const TOOLS_NODE = "tools";

/** What the tools node is sent: one call. The name is LangChain's. */
export interface ToolsInput {
  readonly lg_tool_call: ToolCall;
}

/** Where the loop can go from any of its nodes, fixed when the graph is built. */
export interface Stations {
  /** First `before_model` hook, or the model. */
  readonly loop: string;
  /** First `after_agent` hook to run, or the end of the graph. */
  readonly exit: string;
  readonly hasTools: boolean;
  /** Names of the tools whose results end the run. */
  readonly returnDirect: ReadonlySet<string>;
  /** Names of the tools that run alone. */
  readonly serial: ReadonlySet<string>;
  /** All calls of a reply in one task, as in version "v1" of LangChain's agent. */
  readonly oneTask: boolean;
  /** Whether there is a limit of calls of the model. */
  readonly isLimited: boolean;
}

export type Route = string | Send[];
/** The state as routers see it: with the jump that the hook before them asked for. */
export type RoutedState = AgentBuiltInState & {
  readonly jumpTo?: JumpToTarget | undefined;
  readonly [RESPONSE_KEY]?: unknown;
};

/** After the model and its hooks: to the tools, back to the model, or out (E6). */
export function afterModel(stations: Stations): (state: RoutedState) => Route {
  return (state) => {
    const turn = readTurn(state.messages);
    if (turn.state === "final") return stations.exit;
    if (turn.state === "calling") return stations.hasTools ? toTools(turn, stations) : stations.exit;
    // a hook answered every call itself, or tools that return directly did
    return endsDirectly(turn, stations.returnDirect) ? stations.exit : stations.loop;
  };
}

/**
 * After the model's node, to the first hook behind it: unless the model was not called, because the turn had
 * ended directly, or was called as often as it may be.
 */
export function afterCall(stations: Stations, first: string): (state: RoutedState) => Route {
  const isOver = ({ messages }: RoutedState): boolean =>
    endsDirectly(readTurn(messages), stations.returnDirect) || (stations.isLimited && endsByLimit(messages));
  return (state) => (isOver(state) ? stations.exit : first);
}

/**
 * After a tool. Every call of a turn is a task of its own and sees its own result only, so of
 * several calls none can tell whether all return directly: then the model's node does.
 */
export function afterTools(stations: Stations): (state: RoutedState) => Route {
  return (state) =>
    endsDirectly(readTurn(state.messages), stations.returnDirect) ? stations.exit : stations.loop;
}

/**
 * After a hook that may jump: where it wants, else on.
 *
 * @param model - where `"model"` leads: past the `before_model` hooks from one of them, through
 *   them from everywhere else, so that limits and compaction are not skipped
 */
export function jumpOr(
  next: (state: RoutedState) => Route,
  stations: Stations,
  model: string,
): (state: RoutedState) => Route {
  return (state) => {
    switch (state.jumpTo) {
      case undefined:
        return next(state);
      case "end":
        return stations.exit;
      case "model":
        return model;
      case "tools": {
        const turn = readTurn(state.messages);
        // nothing to run: the model is what comes after the tools
        return turn.state === "calling" && stations.hasTools ? toTools(turn, stations) : model;
      }
    }
  };
}

/** To the calls that are next. */
function toTools(turn: Extract<Turn, { state: "calling" }>, { serial, oneTask }: Stations): Route {
  return oneTask ? TOOLS_NODE : sends(nextGroup(turn.reply.tool_calls ?? [], turn.calls, serial));
}

/** One task a call, so that a call that interrupts does not run its finished siblings again (I6). */
export function sends(calls: readonly ToolCall[]): Send[] {
  return calls.map((call) => new Send(TOOLS_NODE, { lg_tool_call: call } satisfies ToolsInput));
}
