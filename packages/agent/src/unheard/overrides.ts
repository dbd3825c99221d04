/**
 * Tells whether an object has a method that is not the one which its class was written with: its own, that of
 * a subclass, or one that somebody has put into the class, before this was loaded or since.
 */
export function overrides(prototype: object, methods: readonly string[]): (of: object) => boolean {
  const given = methods.map((name): unknown => Reflect.get(prototype, name));
  if (!given.every((method, at) => isAsWritten(method, methods[at]))) return () => true;
  return (of) => methods.some((name, at) => Reflect.get(of, name) !== given[at]);
}

/** What tools of instrumentation put in a method's place goes by no name or another, or remembers the method. */
function isAsWritten(method: unknown, name: string | undefined): boolean {
  return typeof method === "function" && method.name === name && Reflect.ownKeys(method).length === 2;
}
