/**
 * Tells whether an object has a method that is not the one which its class had when this was loaded: its own,
 * that of a subclass, or one that somebody has put into the class since.
 */
export function overrides(prototype: object, methods: readonly string[]): (of: object) => boolean {
  const given = methods.map((name): unknown => Reflect.get(prototype, name));
  return (of) => methods.some((name, at) => Reflect.get(of, name) !== given[at]);
}
