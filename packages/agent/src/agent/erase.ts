import type { RunnableConfig } from "@langchain/core/runnables";
import { GraphError, type OptionKind, requireKnownOptions } from "@skein/errors";
import type { Derivations } from "../middleware/derivations.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";

export interface EraseMessageOptions {
  /** Texts that vanish with it wherever they stand in the thread, however short. Default: none. */
  readonly texts?: readonly string[];
  /** Follows the message into what was made of it. Default: that of the agent's middleware, which rewrites summaries. */
  readonly derived?: Derivations;
  /**
   * Whether the old bytes are removed from the storage's files at once, which takes as long as copying
   * them; without it `saver.cleanUp()` does it later. Default: true.
   */
  readonly cleanUp?: boolean;
}

const ERASING: Readonly<Record<keyof EraseMessageOptions, OptionKind>> = {
  texts: "texts",
  derived: "object",
  cleanUp: "boolean",
};

/** What was erased where. */
export interface ErasedReport {
  readonly threads: readonly string[];
  readonly items: number;
  readonly writes: number;
  readonly checkpoints: number;
}

interface ErasingSaver {
  eraseMessage(config: RunnableConfig, messageId: string, options: object): Promise<ErasedReport>;
  cleanUp(): Promise<void>;
}

/** @throws GraphError INVALID_CONFIGURATION for a saver that can't erase */
export async function erase(
  saver: unknown,
  middleware: readonly AnyAgentMiddleware[],
  config: RunnableConfig,
  messageId: string,
  options: EraseMessageOptions | null | undefined,
): Promise<ErasedReport> {
  requireKnownOptions("eraseMessage", options ?? {}, ERASING);
  const { texts, derived = derivedBy(middleware), cleanUp = true } = options ?? {};
  const erasing = saver as Partial<ErasingSaver> | undefined;
  if (typeof erasing?.eraseMessage !== "function" || typeof erasing.cleanUp !== "function") {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      "eraseMessage needs one of Skein's savers: only they know where all copies of a message stand.",
    );
  }
  const report = await erasing.eraseMessage(config, messageId, {
    ...(texts === undefined ? {} : { texts }),
    ...(derived === undefined ? {} : { derived }),
  });
  if (cleanUp) await erasing.cleanUp();
  return report;
}

/** What all middleware of an agent make of messages. */
function derivedBy(middleware: readonly AnyAgentMiddleware[]): Derivations | undefined {
  const all = middleware.flatMap(({ derivations }) => derivations ?? []);
  if (all.length === 0) return undefined;
  return {
    matches: (value) => all.some((one) => one.matches(value)),
    rewrite: async (erased) => {
      const rewrites = await Promise.all(
        all.map(async (one) => {
          const found = erased.found.filter((value) => one.matches(value));
          return [one, await one.rewrite({ ...erased, found })] as const;
        }),
      );
      return (value) => {
        const own = rewrites.find(([one]) => one.matches(value));
        return own === undefined ? value : own[1](value);
      };
    },
  };
}
