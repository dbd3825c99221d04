const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Ends the program when it is told to stop, with the exit code that shells give to the signal.
 *
 * @param leave - tidies up and returns a sentence that says what stays
 */
export function onStop(leave: () => string): void {
  for (const [signal, number] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      process.stderr.write(`skein: ${leave()}\n`);
      process.exit(128 + number);
    });
  }
}
