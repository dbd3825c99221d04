/** The two calls of a class of graphs, as it was defined. */
export interface OwnCalls {
  readonly invoke: unknown;
  readonly stream: unknown;
}

/** Taken when the class is defined: a tracer may put others into its prototype later. */
export function callsOf({ prototype }: { readonly prototype: OwnCalls }): OwnCalls {
  const { invoke, stream } = prototype;
  return { invoke, stream };
}
