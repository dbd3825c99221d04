import { GraphError, shown } from "@skein/errors";
import { givenOptions } from "../../core/given.ts";
import { refuseSerializer } from "../../core/serializer.ts";
import type { StoreOptions } from "./types.ts";

/** What a store is told; null is as if it were not there. @throws GraphError INVALID_CONFIGURATION */
export function storingOptions(given: StoreOptions | null | undefined): StoreOptions {
  const options = givenOptions(given ?? {}, "a store");
  refuseSerializer(options, "a store of Skein");
  const { codec, ttl, now, onSweepError } = options;
  if (codec !== undefined && codec !== null && typeof codec.encode !== "function")
    throw wrong("codec", "one that createCodec made", codec);
  if (typeof (ttl ?? {}) !== "object" || Array.isArray(ttl)) throw wrong("ttl", "an object", ttl);
  if (!isFunction(now)) throw wrong("now", "a function", now);
  if (!isFunction(onSweepError)) throw wrong("onSweepError", "a function", onSweepError);
  return options;
}

function isFunction(given: unknown): boolean {
  return given === undefined || given === null || typeof given === "function";
}

function wrong(option: string, wanted: string, given: unknown): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `${option} of a store must be ${wanted}, not ${shown(given)}.`,
    {
      details: { option },
    },
  );
}
