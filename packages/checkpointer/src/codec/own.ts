/** Sets a property of an object itself, whatever it is called: assigning to `__proto__` would change its class, to a getter throw. */
export function setOwn(object: object, key: string, value: unknown): void {
  if (key in object) {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else (object as Record<string, unknown>)[key] = value;
}
