import { createInterface } from "node:readline";

/** Lines that somebody types or pipes in. */
export interface Lines {
  /** The next line, undefined at the end of the input. */
  next(prompt: string): Promise<string | undefined>;
  /** Ctrl-C was pressed. */
  onInterrupt(listener: () => void): void;
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
  let closed = false;
  let take: (() => void) | undefined;
  const wake = (): void => {
    take?.();
    take = undefined;
  };
  reader.on("line", (line) => {
    waiting.push(line);
    wake();
  });
  reader.on("close", () => {
    closed = true;
    wake();
  });
  return {
    async next(prompt) {
      if (interactive) {
        reader.setPrompt(prompt);
        reader.prompt();
      }
      while (waiting.length === 0 && !closed) {
        await new Promise<void>((resolve) => {
          take = resolve;
        });
      }
      return waiting.shift();
    },
    onInterrupt(listener) {
      // A terminal in raw mode sends no signal: readline reports the key instead.
      reader.on("SIGINT", listener);
      process.on("SIGINT", listener);
    },
    close: () => reader.close(),
  };
}
