import { segments } from "../ids/namespace.ts";
import type { Task } from "../engine/task.ts";
import { ERROR, INTERRUPT, TAG_HIDDEN } from "../ids/names.ts";
import { timestamp } from "../ids/timestamp.ts";
import type { RunEvent } from "../run/events.ts";
import type { Run, RunListener } from "../run/run.ts";
import type { StreamMode, StreamSink, Turn } from "./modes.ts";
import {
  checkpointPayload,
  envelopeOf,
  interruptsOf,
  outputOf,
  taskPayload,
  taskResultPayload,
  updatesPayload,
  wroteAny,
} from "./payloads.ts";

/** By a tag of its node, or of the call, which hides all tasks of the graph. */
const isHidden = ({ node }: Task, { options }: Run): boolean =>
  node.hidden || options.config.tags.includes(TAG_HIDDEN);

/** Turns what happens in a run into the chunks of the stream modes that its sinks want. */
export class Projector implements RunListener {
  readonly #sinks: readonly StreamSink[];
  readonly #modes: ReadonlySet<StreamMode>;
  readonly #enveloped: readonly StreamSink[];
  readonly #namespace: readonly string[];
  readonly #turn: Turn | undefined;

  constructor(namespace: string, sinks: readonly StreamSink[], turn?: Turn) {
    this.#sinks = sinks;
    this.#modes = new Set(sinks.flatMap((sink) => [...sink.modes]));
    this.#enveloped = sinks.filter((sink) => sink.envelopes === true);
    this.#namespace = segments(namespace);
    this.#turn = turn;
  }
  turn(asked: number): Promise<void> | undefined {
    return this.#turn?.(asked);
  }
  on(event: RunEvent, run: Run): void {
    switch (event.type) {
      case "step-planned":
        if (run.session !== undefined && this.#wants("checkpoints")) {
          this.#detail("checkpoints", checkpointPayload(run, event.tasks), run.snapshot.step - 1);
        }
        return;
      case "tasks-start":
        if (!this.#wants("tasks")) return;
        for (const task of event.tasks) {
          if (!isHidden(task, run)) this.#detail("tasks", taskPayload(task, run), task.step);
        }
        return;
      case "task-end":
        return this.#taskEnd(event, run);
      case "state":
        return this.#state(event, run);
      case "breakpoint":
        return this.#breakpoint(run.options);
      case "custom":
        return this.#push(
          "custom",
          event.chunk,
          this.#sinks,
          event.at === undefined ? undefined : segments(event.at),
        );
    }
  }
  #breakpoint({ parent, parents }: Run["options"]): void {
    // the root tells it for the graphs within it: its parents are those that the call named
    const [deepest = ""] = Object.keys(parents).sort((a, b) => b.length - a.length);
    const plain = parent === undefined ? this.#sinks.filter((sink) => !sink.envelopes) : [];
    for (const mode of ["updates", "values"] as const) {
      // a lifecycle says of each graph whether it waits
      this.#push(mode, { [INTERRUPT]: [] }, this.#enveloped);
      this.#push(mode, { [INTERRUPT]: [] }, plain, segments(deepest));
    }
  }
  #taskEnd(event: RunEvent & { type: "task-end" }, run: Run): void {
    const { task, writes, cached } = event;
    if (isHidden(task, run)) return;
    const first = writes[0]?.[0];
    if (first === INTERRUPT) {
      const interrupts = { [INTERRUPT]: interruptsOf(writes) };
      this.#push("updates", interrupts);
      this.#push("values", interrupts);
    } else if (first !== ERROR && this.#wants("updates")) {
      this.#push("updates", updatesPayload(task, writes, run.options, cached));
    }
    if (!cached && this.#wants("tasks")) {
      this.#detail("tasks", taskResultPayload(task, writes, run.options.program.visibleKeys), task.step);
    }
  }
  #state(event: RunEvent & { type: "state" }, run: Run): void {
    if (!this.#modes.has("values")) return;
    if (event.tasks !== "all" && !wroteAny(event.tasks, run.options.outputKeys)) return;
    for (const sink of this.#enveloped) sink.push([this.#namespace, "checkpoints", envelopeOf(run)]);
    this.#push("values", outputOf(run));
  }
  #wants(mode: StreamMode): boolean {
    return (
      this.#modes.has(mode) || ((mode === "checkpoints" || mode === "tasks") && this.#modes.has("debug"))
    );
  }
  #push(mode: StreamMode, payload: unknown, sinks = this.#sinks, namespace = this.#namespace): void {
    for (const sink of sinks) if (sink.modes.has(mode)) sink.push([namespace, mode, payload]);
  }
  /** Checkpoints and tasks stand in mode "debug" too, in a frame. */
  #detail(mode: "checkpoints" | "tasks", payload: Record<string, unknown>, step: number): void {
    this.#push(mode, payload);
    if (!this.#modes.has("debug")) return;
    const type = mode === "checkpoints" ? "checkpoint" : "result" in payload ? "task_result" : "task";
    this.#push("debug", { step, type, timestamp: timestamp(), payload });
  }
}
