import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ALL_SAVERS, type Saver } from "./savers.ts";

// the validation package is written for a runner that has these as globals
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });
const { deltaChannelHistoryTests, validate } = await import("@langchain/langgraph-checkpoint-validation");

/** LangGraph's own specification of a checkpointer, none of it left out. */
for (const kind of ALL_SAVERS) {
  const open = new Map<Saver, () => Promise<void>>();
  const initializer = {
    // a name that the package has no exceptions for
    checkpointerName: `@skein/checkpointer ${kind.name}`,
    createCheckpointer() {
      const storage = kind.open();
      open.set(storage.saver, () => storage.close());
      return storage.saver;
    },
    async destroyCheckpointer(saver: Saver) {
      await open.get(saver)?.();
    },
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}
