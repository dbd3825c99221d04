/**
 * The control value that a wrap or a tool may return. The engine's `Command` is one; it is told by
 * its brand there, here only its type is needed.
 */
export interface CommandLike {
  readonly lg_name: "Command";
  readonly update?: unknown;
  readonly goto?: unknown;
}
