import * as theirSupervisor from "@langchain/langgraph-supervisor";
import * as ourSupervisor from "@langchain/langgraph-supervisor?on-skein";
import * as theirSwarm from "@langchain/langgraph-swarm";
import * as ourSwarm from "@langchain/langgraph-swarm?on-skein";
import { type Engine, oracle, ours } from "../engines.ts";
import type { Plain } from "../normalise.ts";
import type { Stateful } from "../recorder.ts";
import { type PackageScenario, recordWith } from "../scenario.ts";

/** A StateGraph that is still to be compiled; its types are the packages' own business. */
interface Uncompiled {
  compile(options?: object): Stateful;
}

/** What the scenarios use of `@langchain/langgraph-supervisor` and `@langchain/langgraph-swarm`. */
export interface Teams {
  createSupervisor(options: object): Uncompiled;
  supervisorHandoff(options: object): object;
  createSwarm(options: object): Uncompiled;
  swarmHandoff(options: object): object;
}

export interface TeamEngine extends Engine {
  readonly teams: Teams;
}

function teams(supervisor: typeof theirSupervisor, swarm: typeof theirSwarm): Teams {
  return {
    createSupervisor: supervisor.createSupervisor as never,
    supervisorHandoff: supervisor.createHandoffTool as never,
    createSwarm: swarm.createSwarm as never,
    swarmHandoff: swarm.createHandoffTool as never,
  };
}

/** The packages on the engine that they were written for. */
export const there: TeamEngine = { ...oracle, teams: teams(theirSupervisor, theirSwarm) };
/** The same files with `@langchain/langgraph` resolved to ours. */
export const here: TeamEngine = { ...ours, teams: teams(ourSupervisor, ourSwarm) };

/** A program of several agents. */
export type TeamScenario = PackageScenario<Teams>;

export const scenario = (name: string, run: TeamScenario["run"]): TeamScenario => ({ name, run });

export const recordTeam = (scenario: TeamScenario, engine: TeamEngine): Promise<Plain> =>
  recordWith(engine.teams, scenario, engine);
