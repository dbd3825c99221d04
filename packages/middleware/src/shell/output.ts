import { StringDecoder } from "node:string_decoder";

/** Keeps the beginning and the end of what a process writes, whatever its length. */
export class Output {
  readonly #half: number;
  #head = "";
  #tail = "";
  #lost = 0;

  /** @param most - most characters that are kept */
  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  /** A way in for one stream; characters that arrive in pieces stay whole. */
  sink(): (bytes: Buffer) => void {
    const decoder = new StringDecoder("utf8");
    return (bytes) => this.#add(decoder.write(bytes));
  }

  /** What was kept, of at most so many lines. */
  text(maxLines: number): string {
    const whole = this.#lost === 0;
    const lines = (whole ? this.#head + this.#tail : `${this.#head}\n${this.#tail}`).trimEnd().split("\n");
    const over = lines.length - maxLines;
    if (whole && over <= 0) return lines.join("\n");
    const gap = whole ? `[${over} lines left out]` : "[output left out]";
    // what was lost was lost in the middle
    const at = whole
      ? Math.ceil(maxLines / 2)
      : Math.min(this.#head.split("\n").length, Math.ceil(maxLines / 2));
    const rest = lines.slice(Math.max(at, lines.length - (maxLines - at)));
    return [...lines.slice(0, at), gap, ...rest].join("\n");
  }

  #add(text: string): void {
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, Math.max(room, 0));
    const tail = this.#tail + text.slice(Math.max(room, 0));
    this.#lost += Math.max(tail.length - this.#half, 0);
    this.#tail = tail.slice(-this.#half);
  }
}
