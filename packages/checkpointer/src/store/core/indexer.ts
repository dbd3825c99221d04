import type { IndexConfig } from "@langchain/langgraph-checkpoint";
import { GraphError, shown } from "@skein/errors";
import { indexText } from "../../search/index.ts";
import type { NewValue } from "./backend.ts";
import type { Put } from "./operations.ts";
import { leavesOf, textsAt } from "./paths.ts";

/** Makes what items are found by. */
export class Indexer {
  readonly #config: IndexConfig | undefined;

  constructor(config: IndexConfig | undefined) {
    if (config !== undefined && !(Number.isInteger(config.dims) && config.dims > 0)) {
      throw unfit(`\`index.dims\` is ${String(config.dims)}; it has to be a whole number above 0.`);
    }
    this.#config = config;
  }

  /** Whether items have vectors. */
  get embeds(): boolean {
    return this.#config !== undefined;
  }

  /** What full-text search finds an item by. */
  text({ value, index }: Put): string {
    if (value === null || index === false) return "";
    const paths = index ?? this.#config?.fields ?? ["$"];
    // of a whole value its contents, not the names of its fields
    const texts = paths.flatMap((path) => (path === "$" ? leavesOf(value) : textsAt(value, path)));
    const indexed = indexText(texts.join("\n"));
    return indexed.trim() === "" ? "" : indexed;
  }

  /** The vectors of several items, in one call of the model. */
  async vectors(puts: readonly Put[]): Promise<NewValue["vectors"][]> {
    const config = this.#config;
    if (config === undefined) return puts.map(() => []);
    const texts = puts.map(({ value, index }) => {
      if (value === null || index === false) return [];
      return (index ?? config.fields ?? ["$"]).flatMap((path) => textsAt(value, path));
    });
    const unique = [...new Set(texts.flat())];
    const embedded = unique.length === 0 ? [] : await config.embeddings.embedDocuments(unique);
    const given: unknown = Array.isArray(embedded) ? embedded.length : shown(embedded);
    if (given !== unique.length)
      throw unfit(`The embeddings gave ${given} vectors for ${unique.length} texts.`);
    const byText = new Map(unique.map((text, i) => [text, this.#unit(embedded[i])]));
    return texts.map((each) => each.map((text) => byText.get(text) as Float32Array));
  }

  async queryVector(query: string): Promise<Float32Array> {
    if (this.#config === undefined) {
      throw unfit('A search with `mode: "vector"` needs a store with an `index`.');
    }
    return this.#unit(await this.#config.embeddings.embedQuery(query));
  }

  #unit(given: unknown): Float32Array {
    const dims = this.#config?.dims;
    if (!isVector(given)) throw unfit(`The embeddings gave ${shown(given)} where a vector was due.`);
    const vector = Array.from(given);
    if (vector.length !== dims) {
      throw unfit(
        `The embeddings gave a vector of ${vector.length} numbers, and \`index.dims\` is ${dims}. Set it to what the model gives.`,
      );
    }
    // its score would be none, and an order with such scores in it is no order
    if (!vector.every(Number.isFinite))
      throw unfit("The embeddings gave a vector with an element that is no finite number.");
    const length = Math.hypot(...vector);
    return Float32Array.from(vector, (x) => (length === 0 ? 0 : x / length));
  }
}

function isVector(given: unknown): given is ArrayLike<number> {
  return Array.isArray(given) || ArrayBuffer.isView(given);
}

function unfit(what: string): GraphError {
  return new GraphError("INVALID_CONFIGURATION", `${what} Nothing was stored or read.`);
}
