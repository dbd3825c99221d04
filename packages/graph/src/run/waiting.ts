import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { RESUME } from "../ids/names.ts";
import { isSame } from "../ids/same.ts";
import { xxh3 } from "../ids/xxh3.ts";
import type { Program } from "../program/program.ts";
import { questionsOf } from "./answers.ts";
import { openAt } from "./open.ts";
import { unfinished } from "./pending.ts";
import { viewState } from "./read.ts";
import type { Run } from "./run.ts";

/** A question that waits. Those that one call asks one after another have one id; those of older threads have none. */
export interface WaitingQuestion {
  readonly id: string | undefined;
  readonly value: unknown;
  /** How many answers its call has been given before. */
  readonly after: number;
}

/** Whether it is one question, read twice: a call may ask the same once more, with the answer to the first in hand. */
export function isSameQuestion(one: WaitingQuestion, other: WaitingQuestion): boolean {
  return one.id === other.id && one.after === other.after && isSame(one.value, other.value);
}

/** What waits on a thread: a bare answer is for the only one. */
export async function waitingQuestions(
  saver: BaseCheckpointSaver,
  program: Program,
  threadId: string,
): Promise<readonly WaitingQuestion[]> {
  const openIn = (namespace: string) =>
    openAt(saver, program, { threadId, namespace, checkpointId: undefined }, {});
  const { tasks, pending } = viewState(program, await openIn(""), false);
  const open = unfinished(pending);
  const asked = new Map(questionsOf(open).map(({ id, value }) => [id, value]));
  const waiting = [...asked].map(async ([id, value]): Promise<WaitingQuestion> => {
    let after = answersBefore(id, open);
    for (const { id: task, namespace } of tasks) {
      if (!asks(id, task, open) || id === xxh3(namespace)) continue;
      // a graph that the task is or calls asks, and takes the answers
      const within = (await openIn(namespace)).stored?.pendingWrites ?? [];
      after += answersBefore(id, unfinished(within as Run["pending"]));
    }
    return { id, value, after };
  });
  return Promise.all(waiting);
}

/** How many answers those have taken who ask a question. */
function answersBefore(id: string | undefined, open: Run["pending"]): number {
  const taken = open.filter(([task, channel]) => channel === RESUME && asks(id, task, open));
  return taken.reduce((count, [, , answers]) => count + (Array.isArray(answers) ? answers.length : 1), 0);
}

function asks(id: string | undefined, task: string, open: Run["pending"]): boolean {
  return questionsOf(open.filter(([by]) => by === task)).some((question) => question.id === id);
}
