import { GraphError, shown } from "@skein/errors";
import type { Program } from "../program/program.ts";
import type { Following } from "./call.ts";
import { isNone } from "./check-call.ts";
import type { CallOptions } from "./options.ts";

type Keys = Pick<Following, "outputKeys" | "bareKey">;

/** Keys that a call returns. @throws GraphError INVALID_CONFIGURATION for keys that the state does not have */
export function returnedKeys(program: Program, options: CallOptions | null | undefined): Keys {
  return keysOf(program, options, { outputKeys: program.outputKeys, bareKey: program.bareOutput });
}

/** Keys that a stream shows. @throws GraphError INVALID_CONFIGURATION for keys that the state does not have */
export function streamedKeys(program: Program, options: CallOptions | null | undefined): Keys {
  return keysOf(program, options, { outputKeys: program.visibleKeys, bareKey: program.bareKey });
}

function keysOf(program: Program, options: CallOptions | null | undefined, fallback: Keys): Keys {
  const { inputKeys, outputKeys } = options ?? {};
  if (!isNone(inputKeys)) knownKeys(program, "inputKeys", inputKeys);
  if (isNone(outputKeys)) return fallback;
  return {
    outputKeys: knownKeys(program, "outputKeys", outputKeys),
    bareKey: Array.isArray(outputKeys) ? undefined : outputKeys,
  };
}

function knownKeys(program: Program, option: string, keys: string | string[]): string[] {
  const list = Array.isArray(keys) ? keys : [keys];
  for (const key of list) {
    if (program.channels.has(key)) continue;
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `${option} names ${shown(key)}, which is no key of the state.`,
    );
  }
  return list;
}
