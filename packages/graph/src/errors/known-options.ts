import { GraphError } from "@skein/errors";

/**
 * Names of options, to find those that are misspelt. LangGraph passes over options that it does not
 * know, and programs hand on objects with more in them than a call takes; so only names that are near
 * a known one are looked at. One that is near an option of ours is an error, since no program of
 * LangGraph's has it; for others there is a warning, once.
 */
export class KnownOptions {
  readonly #of: string;
  readonly #ours: readonly string[];
  readonly #all: ReadonlySet<string>;

  /**
   * @param of - whose they are, as in `A call of a graph`
   * @param theirs - what LangGraph, langchain and LangChain's core know, with spaces between
   * @param ours - what only Skein knows, likewise
   */
  constructor(of: string, theirs: string, ours?: string) {
    this.#of = of;
    this.#ours = ours?.split(" ") ?? [];
    this.#all = new Set([...theirs.split(" "), ...this.#ours]);
  }
  /**
   * Undefined when all names are known, as nearly always. What compares names is loaded when it is
   * needed.
   *
   * @throws GraphError INVALID_CONFIGURATION for a misspelt option of ours
   */
  check(options: object, onlyWarns = false): Promise<void> | undefined {
    // on the path of every call: nothing is made where all is well
    for (const name in options) if (!this.#all.has(name)) return this.#look(options, onlyWarns);
    return undefined;
  }
  /** The same for calls that can't wait: there are only warnings, each once. */
  warn(options: object): void {
    this.check(options, true)?.catch(() => {});
  }
  async #look(options: object, onlyWarns: boolean): Promise<void> {
    const { misspelt, warnOfMisspelt } = await import("./misspelt.ts");
    for (const [name, value] of Object.entries(options)) {
      if (this.#all.has(name) || value === undefined) continue;
      const found = misspelt(this.#of, name, [...this.#all]);
      if (found === undefined) continue;
      if (onlyWarns || !this.#ours.includes(found.meant)) warnOfMisspelt(found.text);
      else throw new GraphError("INVALID_CONFIGURATION", found.text, { details: { option: name } });
    }
  }
}
