import { type GraphInterrupt, type Interrupt } from "../errors/signals.ts";
import { segments } from "../ids/namespace.ts";
import { Command } from "../program/command.ts";
import { inheritedBy } from "../run/run.ts";
import type { StreamSink } from "../stream/modes.ts";
import { type LangGraphRunnableConfig, taskOf } from "../task/config.ts";
import type { BareAnswer, TaskRuntime } from "../task/runtime.ts";

/** The task of a local graph in which a remote graph is called. */
export class Caller {
  readonly #task: TaskRuntime;
  /** Who listens to the caller's run and to graphs within it. */
  readonly sinks: readonly StreamSink[];

  private constructor(task: TaskRuntime) {
    this.#task = task;
    const nested = (inheritedBy(task)?.options.nested ?? []) as readonly StreamSink[];
    this.sinks = nested.filter(({ modes }) => modes.size > 0);
  }
  static of(config: LangGraphRunnableConfig): Caller | undefined {
    const task = taskOf(config);
    return task === undefined ? undefined : new Caller(task);
  }
  get namespace(): string[] {
    return segments(this.#task.task.namespace);
  }
  /** Whether questions of this graph may be waiting since it ran before, and are to be answered or asked again. */
  get goesOn(): boolean {
    const { single, map } = this.#task.scope.resume;
    const run = inheritedBy(this.#task);
    return map !== undefined || isOpen(single) || (run?.resuming === true && !run.replaying);
  }
  /** The answers to what the remote graph waits for; undefined when none of them is meant for it. */
  answerTo(waiting: readonly Interrupt[]): Command | undefined {
    const { single, map } = this.#task.scope.resume;
    const ids = waiting.flatMap(({ id }) => (id !== undefined && map && Object.hasOwn(map, id) ? [id] : []));
    if (map !== undefined && ids.length > 0) {
      return new Command({ resume: Object.fromEntries(ids.map((id) => [id, map[id]])) });
    }
    if (waiting.length === 0 || !isOpen(single)) return undefined;
    single.taken = true;
    return new Command({ resume: single.value });
  }
  /** I8: the caller waits, also when its node catches the signal. */
  waitsFor(question: GraphInterrupt): void {
    this.#task.waitsFor(question);
  }
}

/** Nobody here knows whether the server took an answer of an earlier call. */
function isOpen(single: BareAnswer | undefined): single is BareAnswer {
  return single !== undefined && single.isNew && !single.taken;
}
