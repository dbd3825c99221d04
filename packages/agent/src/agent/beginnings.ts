import type { GraphRunStream } from "@skein/graph";
import { isHeld } from "./busy.ts";

/** Why a run did not get its thread, or was not admitted; undefined once it does something. */
export async function refusal(run: GraphRunStream, call: { readonly refusal?: unknown }): Promise<unknown> {
  try {
    for await (const { method } of run) if (method !== "lifecycle") return undefined;
  } catch (error) {
    // any other failure is its readers'
    return isHeld(error) || error === call.refusal ? error : undefined;
  }
  return undefined;
}

/** Holds the first event back until the next one: a run that does not get its thread tells that it began as well. */
export async function* begun<T>(events: AsyncIterable<T> | Promise<AsyncIterable<T>>): AsyncGenerator<T> {
  let first: T | undefined;
  let count = 0;
  for await (const event of await events) {
    count += 1;
    if (count === 1) first = event;
    if (count === 2) yield first as T;
    if (count > 1) yield event;
  }
  if (count === 1) yield first as T;
}
