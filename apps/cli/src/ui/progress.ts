import { SingleBar } from "cli-progress";

export interface Progress {
  update(value: number): void;
  /** Something happened that is worth a line of its own. */
  say(text: string): void;
  stop(): void;
}

/** A bar on a terminal, a line every tenth elsewhere. Both on stderr: stdout is for results. */
export function createProgress(what: string, total: number): Progress {
  return process.stderr.isTTY ? bar(what, total) : lines(what, total);
}

function bar(what: string, total: number): Progress {
  const drawn = new SingleBar({
    format: `${what} {bar} {value}/{total} · {duration_formatted}`,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: false,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 32,
  });
  let value = 0;
  drawn.start(total, 0);
  return {
    update: (next) => {
      value = Math.min(total, next);
      drawn.update(value);
    },
    say: (text) => {
      drawn.stop();
      process.stderr.write(`${text}\n`);
      drawn.start(total, value);
    },
    stop: () => drawn.stop(),
  };
}

function lines(what: string, total: number): Progress {
  let tenth = 0;
  return {
    update: (value) => {
      const reached = Math.floor((10 * Math.min(value, total)) / total);
      if (reached <= tenth) return;
      tenth = reached;
      process.stderr.write(`${what}: ${Math.min(value, total)} of ${total}\n`);
    },
    say: (text) => {
      process.stderr.write(`${text}\n`);
    },
    stop: () => {},
  };
}
