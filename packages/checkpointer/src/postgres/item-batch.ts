import type { Connection } from "./connection.ts";
import type { Queries } from "./queries.ts";

interface Request {
  readonly range: readonly [tid: number, lane: number, from: number, to: number];
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
    if (requests.length === 1) {
      const rows = await this.#db.run<[string]>(this.#queries.items, ...first.range);
      return [rows.map(([body]) => body)];
    }
    const columns = first.range.map((_, i) => requests.map(({ range }) => range[i]));
    const bodies = requests.map((): string[] => []);
    const rows = await this.#db.run<[number, string]>(this.#queries.manyItems, ...columns);
    for (const [n, body] of rows) (bodies[n - 1] as string[]).push(body);
    return bodies;
  }
}
