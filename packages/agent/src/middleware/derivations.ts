/** Knows what is made of messages in other words; savers take it as `derived`. */
export interface Derivations {
  matches(value: Readonly<Record<string, unknown>>): boolean;
  rewrite(erased: ErasedMessage): Rewrite | Promise<Rewrite>;
}

type StoredObject = Readonly<Record<string, unknown>>;
type Rewrite = (value: StoredObject) => StoredObject;

/** A message that is being erased in one thread, and what may have been made of it. */
export interface ErasedMessage {
  readonly messageId: string;
  readonly found: readonly StoredObject[];
  readonly states: readonly StoredObject[];
}
