import { InMemoryStore } from "../src/store/index.ts";

/** Starts a store's sweeper and does nothing more. */
void new InMemoryStore({ ttl: { sweepIntervalMinutes: 1 } }).start();
