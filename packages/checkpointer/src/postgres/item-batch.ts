import type { Connection } from "./connection.ts";
import { explained, isTooLong } from "./driver.ts";
import type { Queries } from "./queries.ts";

/** Up to so many items are read row by row. */
const FEW = 64;

interface Request {
  readonly range: readonly [tid: number, lane: number, from: number, to: number, generation: number | null];
  readonly resolve: (bodies: readonly string[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads items. Ranges that are asked for in one tick, such as several channels of a thread, are one query. */
export class ItemBatch {
  readonly #db: Connection;
  readonly #queries: Queries;
  #waiting: Request[] = [];

  constructor(db: Connection, queries: Queries) {
    this.#db = db;
    this.#queries = queries;
  }

  read(...range: Request["range"]): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ range, resolve, reject });
      if (this.#waiting.length === 1) queueMicrotask(() => void this.#send());
    });
  }

  async #send(): Promise<void> {
    const requests = this.#waiting;
    this.#waiting = [];
    try {
      const bodies = await this.#bodies(requests);
      for (const [i, request] of requests.entries()) request.resolve(bodies[i] as string[]);
    } catch (error) {
      for (const request of requests) request.reject(error);
    }
  }

  async #bodies(requests: readonly Request[]): Promise<string[][]> {
    const [first] = requests as [Request];
    if (requests.length === 1) return [(await this.#joined(first)) ?? (await this.#rows(first))];
    const columns = first.range.map((_, i) => requests.map(({ range }) => range[i]));
    const bodies = requests.map((): string[] => []);
    const rows = await this.#db.run<[number, string]>(this.#queries.manyItems, ...columns);
    for (const [n, body] of rows) (bodies[n - 1] as string[]).push(body);
    return bodies;
  }

  async #rows({ range }: Request): Promise<string[]> {
    return (await this.#db.run<[string]>(this.#queries.items, ...range)).map(([body]) => body);
  }

  /**
   * As a few texts, which are cut here: each row that the driver hands over costs more than what stands in it.
   * Undefined for a few items, for what is too long for that, and what was written by another codec on several lines.
   */
  async #joined({ range }: Request): Promise<string[] | undefined> {
    const [, , from, to] = range;
    if (to - from <= FEW) return undefined;
    try {
      const rows = await this.#db.query<[string | null, number]>(this.#queries.joinedItems, range);
      const bodies: string[] = [];
      for (const [text, count] of rows) {
        const lines = text?.split("\n");
        if (lines?.length !== count) return undefined;
        for (const line of lines) bodies.push(line);
      }
      return bodies;
    } catch (error) {
      if (isTooLong(error)) return undefined;
      throw explained(error);
    }
  }
}
