import { GraphError } from "@skein/errors";
import {
  ambiguousAnswer,
  answersById,
  Command,
  isCommand,
  isSameQuestion,
  type WaitingQuestion,
  waitingQuestions,
} from "@skein/graph";
import type { AgentGraph } from "./agent-graph.ts";

/**
 * An answer that names no question, of a call that waits for its turn: it is for the one that waits when it
 * comes, never for one that is asked meanwhile.
 */
export class BareAnswer {
  readonly #graph: AgentGraph;
  readonly #threadId: string;
  readonly #command: Command;
  readonly #question: Promise<WaitingQuestion>;

  private constructor(graph: AgentGraph, threadId: string, command: Command) {
    this.#graph = graph;
    this.#threadId = threadId;
    this.#command = command;
    this.#question = this.#asked();
    // whoever gives up its turn does not ask
    this.#question.catch(() => {});
  }

  /** Undefined for other inputs. */
  static of(graph: AgentGraph, threadId: string, input: unknown): BareAnswer | undefined {
    const isBare = isCommand(input) && input.resume !== undefined && answersById(input) === undefined;
    return isBare ? new BareAnswer(graph, threadId, input) : undefined;
  }

  /**
   * The command with the question's id, when it is its turn.
   *
   * @throws GraphError NOTHING_TO_RESUME when nobody asked, or the question does not wait any more;
   *   AMBIGUOUS_RESUME when several were asked
   */
  async addressed(): Promise<Command> {
    const asked = await this.#question;
    const waiting = await this.#questions();
    if (!waiting.some((question) => isSameQuestion(question, asked))) throw waitsNoMore();
    // of an older thread: its only question needs no name
    if (asked.id === undefined) return this.#command;
    const { resume, update, goto } = this.#command;
    const given = { resume: { [asked.id]: resume }, ...(update && { update }), ...(goto && { goto }) };
    return new Command(given as never);
  }

  async #asked(): Promise<WaitingQuestion> {
    const [question, ...others] = await this.#questions();
    if (question === undefined) throw nobodyAsked();
    if (others.length === 0) return question;
    throw ambiguousAnswer([question, ...others].map(({ id }) => id));
  }

  async #questions(): Promise<readonly WaitingQuestion[]> {
    const { checkpointer, program } = this.#graph;
    return typeof checkpointer === "object" ? waitingQuestions(checkpointer, program, this.#threadId) : [];
  }
}

const LOOK = "Look at what the thread asks now, and answer that.";

function nobodyAsked(): GraphError {
  return new GraphError(
    "NOTHING_TO_RESUME",
    `No question waited when this answer came behind another call of the thread, so it answers none. ${LOOK}`,
  );
}

function waitsNoMore(): GraphError {
  return new GraphError(
    "NOTHING_TO_RESUME",
    `The question that waited when this answer came waits no more: a run that was called before has gone on. ${LOOK}`,
  );
}
