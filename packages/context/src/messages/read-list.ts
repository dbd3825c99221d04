import type { BaseMessage } from "@langchain/core/messages";
import { commonStart, growthOf, type Growth } from "./growth.ts";
import { callsField, holds, lengthOf } from "./look.ts";

/** How many of the newest messages are looked at for edits in place, so of a list of no more each one is. */
export const NEWEST = 32;
/** How many of the others at a time. */
const OTHERS = 16;

/** Per message: its content, the length of that, its calls, how many those are. */
const WIDTH = 4;

/**
 * A list that was read, and what its messages held. That stands in one list, not in an object a message:
 * a look at many of them reads memory in a row, and most of its time is waiting for memory.
 */
export class ReadList {
  readonly #messages: BaseMessage[] = [];
  readonly #held: unknown[] = [];
  /** Of the list that was read last, where somebody said that it grew. */
  #growth: Growth | undefined;
  /** Position at which the next look for edits of older messages begins. */
  #checked = 0;

  get length(): number {
    return this.#messages.length;
  }

  push(message: BaseMessage): void {
    const calls = callsField(message);
    this.#messages.push(message);
    this.#held.push(message.content, lengthOf(message.content), calls, lengthOf(calls));
  }

  /** Forgets what stands behind so many messages. */
  cut(length: number): void {
    this.#messages.length = length;
    this.#held.length = length * WIDTH;
    this.#checked = Math.min(this.#checked, length);
    // hazard: a list that grew from the one that was read last would be taken to share what is cut off here
    if (this.#growth !== undefined && this.#growth.length > length) this.#growth = undefined;
  }

  /** Remembers which list it was last brought in step with. */
  saw(messages: readonly BaseMessage[]): void {
    this.#growth = growthOf(messages) ?? this.#growth;
  }

  /**
   * How many messages a list shares with this one: as many as somebody said, or else as a walk by
   * identity finds. Looking into a message costs more than all of that, so only the newest 32 are
   * looked into, and 16 others, in turn.
   */
  shared(messages: readonly BaseMessage[]): number {
    const known = this.#messages;
    const most = Math.min(known.length, messages.length);
    let shared = commonStart(messages, this.#growth);
    while (shared < most && messages[shared] === known[shared]) shared++;
    const newest = Math.max(0, shared - NEWEST);
    const older = this.#checked < newest ? this.#checked : 0;
    this.#checked = Math.min(newest, older + OTHERS);
    return (
      this.#firstEdited(messages, older, this.#checked) ??
      this.#firstEdited(messages, newest, shared) ??
      shared
    );
  }

  #firstEdited(messages: readonly BaseMessage[], from: number, to: number): number | undefined {
    for (let at = from; at < to; at++) {
      const message = messages[at] as BaseMessage;
      if (message !== this.#messages[at] || !this.#isFresh(at, message)) return at;
    }
    return undefined;
  }

  #isFresh(at: number, message: BaseMessage): boolean {
    const held = this.#held;
    const from = at * WIDTH;
    return holds(message, held[from], held[from + 1] as number, held[from + 2], held[from + 3] as number);
  }
}
