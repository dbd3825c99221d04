import { createInterface } from "node:readline";

/** Lines that somebody types or pipes in. */
export interface Lines {
  /** The next line, undefined at the end of the input. */
  next(prompt: string): Promise<string | undefined>;
  /** Ctrl-C was pressed. */
  onInterrupt(listener: () => void): void;
  /** What was not taken yet is dropped. */
  close(): void;
}

/** Lines that come while nobody waits for one are kept: what was piped in is not lost. */
export function openLines(interactive: boolean): Lines {
  const reader = createInterface({
    input: process.stdin,
    ...(interactive ? { output: process.stdout } : {}),
    terminal: interactive,
  });
  const waiting: string[] = [];
  let ended = false;
  let take: ((line: string | undefined) => void) | undefined;
  const give = (line: string | undefined): void => {
    const taker = take;
    take = undefined;
    if (taker) taker(line);
    else if (line !== undefined) waiting.push(line);
  };
  reader.on("line", give);
  reader.on("close", () => {
    ended = true;
    give(undefined);
  });
  return {
    async next(prompt) {
      // a prompt would open the input again, and nothing would close it: the program would never end
      if (interactive && !ended) {
        reader.setPrompt(prompt);
        reader.prompt();
      }
      if (waiting.length > 0 || ended) return waiting.shift();
      return new Promise((resolve) => {
        take = resolve;
      });
    },
    onInterrupt(listener) {
      // A terminal in raw mode sends no signal: readline reports the key instead.
      reader.on("SIGINT", listener);
      process.on("SIGINT", listener);
    },
    close() {
      waiting.length = 0;
      reader.close();
    },
  };
}
