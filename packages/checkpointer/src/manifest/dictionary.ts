import { damaged } from "../codec/parse.ts";
import type { Flat, Manifest } from "./manifest.ts";

/** A name in stored text: its number, or, where it has none, itself. */
export type Name = number | string;

/** Longer names stand in manifests themselves. */
export const LONGEST = 64;
/** Most names of a dictionary: programs have hundreds of channels, and names made of data shall not fill it. */
const LARGEST = 10_000;

/**
 * The names of channels and nodes of a database, by number, so that a checkpoint that says little
 * takes few bytes. It only ever grows, and a number never means another name: where a database has lost names,
 * another dictionary takes its place.
 */
export class Dictionary {
  readonly #numbers = new Map<string, number>();
  /** By number; the first has 1. */
  readonly #names: string[] = [];
  readonly #more: () => void;

  /** @param more - adds what others have stored since, where that can be done at once */
  constructor(more: () => void = () => {}) {
    this.#more = more;
  }

  /** The greatest number up to which all are known. */
  get last(): number {
    return this.#names.length;
  }
  /** @param rows - by number; behind a gap none is taken */
  add(rows: Iterable<readonly [number: number, name: string]>): void {
    for (const [number, name] of rows) {
      if (number !== this.#names.length + 1) continue;
      this.#names.push(name);
      this.#numbers.set(name, number);
    }
  }
  /** @param isWhole - these are all that there are */
  agreesWith(rows: readonly (readonly [number: number, name: string])[], isWhole: boolean): boolean {
    const isSame = rows.every(([number, name]) => (this.#names[number - 1] ?? name) === name);
    return isSame && (!isWhole || this.#names.length <= (rows.at(-1)?.[0] ?? 0));
  }
  /** JSON text that stands for a name. */
  print(name: string): string {
    const number = this.#numbers.get(name);
    return number === undefined ? JSON.stringify(name) : String(number);
  }
  text(name: Name): string {
    if (typeof name === "string") return name;
    if (name > this.#names.length) this.#more();
    const text = this.#names[name - 1];
    if (text === undefined) throw damaged(`a name with the number ${name}`);
    return text;
  }
  /** Names of a manifest that should get a number before it is stored; undefined where all have one. */
  missing({ entries, versions, seen }: Manifest): Set<string> | undefined {
    if (this.#names.length >= LARGEST) return undefined;
    const missing = this.#lacking(seen, this.#lacking(entries, undefined));
    return typeof versions === "number" ? missing : this.#lacking(versions, missing);
  }
  #lacking(named: Flat<unknown>, missing: Set<string> | undefined): Set<string> | undefined {
    let found = missing;
    for (let i = 0; i < named.length; i += 2) {
      const name = named[i] as string;
      if (!this.#numbers.has(name) && name.length <= LONGEST) (found ??= new Set()).add(name);
    }
    return found;
  }
}
