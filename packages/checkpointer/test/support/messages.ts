import type { BaseMessage } from "@langchain/core/messages";
import { expect } from "vitest";

/** Sets an own property, also where the class has a getter of that name. */
export function define(message: BaseMessage, key: string, value: unknown): void {
  Object.defineProperty(message, key, { value, writable: true, enumerable: true, configurable: true });
}

/** All that an object has, but for keyword arguments, and for what is undefined. */
export function heldBy(message: BaseMessage): Record<string, unknown> {
  const { lc_kwargs: _kwargs, ...held } = message as unknown as Record<string, unknown>;
  return held;
}

/** As JSON, or why not. */
export const shown = (ask: () => unknown): string | undefined => {
  try {
    return JSON.stringify(ask());
  } catch (error) {
    return String(error);
  }
};

/** All but the values of keyword arguments that were overwritten since. */
export function expectSame(back: BaseMessage, message: BaseMessage): void {
  expect(Object.getPrototypeOf(back)).toBe(Object.getPrototypeOf(message));
  expect(heldBy(back)).toEqual(heldBy(message));
  expect(Reflect.ownKeys(back)).toEqual(Reflect.ownKeys(message));
  expect(shown(() => back.contentBlocks)).toBe(shown(() => message.contentBlocks));
  expect(shown(() => back.toJSON())).toBe(shown(() => message.toJSON()));
}
