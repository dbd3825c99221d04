import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import { ambiguousAnswer, answersById, Command, isCommand } from "@skein/graph";
import type { AgentGraph } from "./agent-graph.ts";

/** A question of a thread. Those that one call asks one after another have one id. */
interface Question {
  readonly id: string;
  readonly value: unknown;
}

/**
 * An answer that names no question, of a call that waits for its turn: it is for the one that waits when it
 * comes, never for one that is asked meanwhile.
 */
export class BareAnswer {
  readonly #graph: AgentGraph;
  readonly #thread: RunnableConfig;
  readonly #command: Command;
  readonly #question: Promise<Question>;

  private constructor(graph: AgentGraph, thread: RunnableConfig, command: Command) {
    this.#graph = graph;
    this.#thread = thread;
    this.#command = command;
    this.#question = this.#asked();
    // whoever gives up its turn does not ask
    this.#question.catch(() => {});
  }
  /**
   * Undefined for other inputs.
   *
   * @param thread - names the thread and nothing else
   */
  static of(graph: AgentGraph, thread: RunnableConfig, input: unknown): BareAnswer | undefined {
    const isBare = isCommand(input) && input.resume !== undefined && answersById(input) === undefined;
    return isBare ? new BareAnswer(graph, thread, input) : undefined;
  }

  /**
   * The command with the question's id, when it is its turn.
   *
   * @throws GraphError NOTHING_TO_RESUME when nobody asked, or another question is asked by now;
   *   AMBIGUOUS_RESUME when several were asked
   */
  async addressed(): Promise<Command> {
    const asked = await this.#question;
    const now = (await this.#questions()).find(({ id }) => id === asked.id);
    if (now === undefined || !isSame(now.value, asked.value)) throw nobodyAsks();
    const { resume, update, goto } = this.#command;
    const given = { resume: { [asked.id]: resume }, ...(update && { update }), ...(goto && { goto }) };
    return new Command(given as never);
  }

  async #asked(): Promise<Question> {
    const [question, ...others] = await this.#questions();
    if (question === undefined) throw nobodyAsks();
    if (others.length === 0) return question;
    throw ambiguousAnswer([question, ...others].map(({ id }) => id));
  }

  async #questions(): Promise<Question[]> {
    const { tasks } = await this.#graph.getState(this.#thread, { archive: false });
    return tasks.flatMap(({ interrupts }) =>
      interrupts.flatMap(({ id, value }) => (id === undefined ? [] : { id, value: value as unknown })),
    );
  }
}

/** Questions are stored, so they have a text. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function nobodyAsks(): GraphError {
  return new GraphError(
    "NOTHING_TO_RESUME",
    "The question that waited when this answer came waits no more: a run that was called before has gone on. Look at what the thread asks now, and answer that.",
  );
}
