/** Where a control value says what of it is stored. */
export const STORED_CONTROL: unique symbol = Symbol.for("skein.storedControl") as never;

const BRAND = Symbol.for("skein.StoredControl");

/**
 * A control value (Send, Command, Overwrite, ...) in its stored form: inert data with a kind.
 *
 * A class whose instances are control values carries a method under {@link STORED_CONTROL} that
 * returns one of these; no registration is needed. Reading gives the inert form back, never the
 * class: only the engine's journal turns it into a control value again, and only where control
 * belongs (I10). JSON from outside cannot become one, whatever it looks like.
 *
 * @example
 * class Send {
 *   [STORED_CONTROL]() { return new StoredControl("send", { node: this.node, args: this.args }); }
 * }
 */
export class StoredControl {
  readonly [BRAND] = true;
  readonly kind: string;
  readonly data: unknown;

  constructor(kind: string, data: unknown) {
    this.kind = kind;
    this.data = data;
  }
  [STORED_CONTROL](): StoredControl {
    return this;
  }
  static is(value: unknown): value is StoredControl {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}
