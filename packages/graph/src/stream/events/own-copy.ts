import { BaseMessage } from "@langchain/core/messages";
import { isPlain } from "../../ids/plain.ts";

/** A copy for readers who may edit it: of lists, plain objects and messages; all else stays what it is. */
export function ownCopy(value: unknown, copies = new Map<unknown, unknown>()): unknown {
  const known = copies.get(value);
  if (known !== undefined) return known;
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value) && !BaseMessage.isInstance(value)) return value;
  const copy: unknown = isList ? [] : Object.create(Object.getPrototypeOf(value) as object | null);
  copies.set(value, copy);
  const parts: PropertyDescriptorMap = Object.getOwnPropertyDescriptors<object>(value as object);
  for (const part of Object.values(parts)) {
    if ("value" in part) Object.assign(part, { value: ownCopy(part.value, copies), writable: true });
  }
  return Object.defineProperties(copy, parts);
}
