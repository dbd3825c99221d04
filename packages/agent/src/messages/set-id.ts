/** What goes by an id: a message, or a part of one that is told before it. It may be frozen. */
interface Named {
  readonly id?: string | undefined;
  readonly lc_kwargs?: unknown;
}

/** Gives it its id, also in its kwargs: they are what LangChain serializes. */
export function setId(named: Named, id: string): void {
  Reflect.set(named, "id", id);
  const { lc_kwargs: kwargs } = named;
  if (typeof kwargs === "object" && kwargs !== null) Reflect.set(kwargs, "id", id);
}
