import { GraphError, shown } from "@skein/errors";
import type { CodecTag } from "./types.ts";

/** @throws GraphError INVALID_CONFIGURATION for what is no list of tags */
export function givenTags(tags: readonly CodecTag[] | null | undefined): readonly CodecTag[] {
  if (tags === undefined || tags === null) return [];
  const wrong: unknown = Array.isArray(tags) ? tags.find((tag: unknown) => !isTag(tag)) : tags;
  if (Array.isArray(tags) && tags.every(isTag)) return tags;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `The tags of a codec are a list of {tag, ...}; ${shown(wrong)} was given.`,
  );
}

function isTag(tag: unknown): tag is CodecTag {
  return typeof (tag as { tag?: unknown } | null | undefined)?.tag === "string";
}
