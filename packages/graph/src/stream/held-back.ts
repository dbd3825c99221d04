import { nextTurn } from "../run/breathe.ts";

/**
 * What is told of a run, and the run's own stream beside it, which LangChain reads ahead of whoever reads
 * the events: a failure there that nobody waits for yet would end the process. It is held back until all
 * events before it were read.
 */
export class EventReader<Event> {
  #asked: Promise<void>;
  #ask!: () => void;
  #asks = 0;

  constructor() {
    this.#asked = this.#nextAsk();
  }

  /** The events, watched for whether somebody waits for the next one. */
  async *read(events: AsyncIterator<Event>): AsyncGenerator<Event> {
    for (;;) {
      this.#asks += 1;
      this.#ask();
      const { done, value } = await events.next();
      this.#asks += 1;
      if (done) return;
      this.#asked = this.#nextAsk();
      yield value;
    }
  }

  /** A run's stream, whose failure comes when there is nothing to read before it. */
  async *hold<Chunk>(chunks: Promise<AsyncIterable<Chunk>>): AsyncGenerator<Chunk> {
    try {
      yield* await chunks;
    } catch (error) {
      await this.#allRead();
      throw error;
    }
  }

  async #allRead(): Promise<void> {
    for (let asks; asks !== this.#asks;) {
      await this.#asked;
      asks = this.#asks;
      await nextTurn();
    }
  }

  #nextAsk(): Promise<void> {
    return new Promise((resolve) => {
      this.#ask = resolve;
    });
  }
}
