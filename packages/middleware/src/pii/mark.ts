import type { BaseMessage, MessageContent } from "@langchain/core/messages";
import { digestOf } from "./strategies.ts";

/**
 * Where a message says what was replaced in it: a detector may find something in a replacement, which would
 * be replaced again at every call of the model.
 */
const REPLACED = "skein_pii";

interface Mark {
  readonly types: readonly string[];
  /** Digest of the content as it was left: of another one the mark says nothing. */
  readonly content: string;
}

/** `additional_kwargs` for a message in which these types were replaced. */
export async function replacedMark(
  types: readonly string[],
  content: MessageContent,
): Promise<Record<string, Mark>> {
  return { [REPLACED]: { types, content: await digestOf(content) } };
}

/** What was replaced in a message; nothing once it was edited. */
export async function replacedTypes({ additional_kwargs, content }: BaseMessage): Promise<readonly string[]> {
  const mark = additional_kwargs?.[REPLACED] as Partial<Mark> | null | undefined;
  if (!Array.isArray(mark?.types) || mark.content !== (await digestOf(content))) return [];
  return mark.types as readonly string[];
}
