/** A wrap around a call. `handler` calls what it stands around, as often as the wrap likes. */
export type Wrap<Request, Result, Call> = (
  request: Request,
  handler: (request: Request) => Promise<Result>,
  call: Call,
) => Promise<Result>;

/** A call with all its wraps. `call` belongs to one call and reaches every wrap and the base. */
export type Chain<Request, Result, Call> = (request: Request, call: Call) => Promise<Result>;

/**
 * Nests wraps around a base: the first stands outermost. The only place where wraps are composed,
 * for models and tools alike, so that their order can not drift. Built once an agent; a call costs
 * one closure a wrap.
 */
export function composeWraps<Request, Result, Call>(
  wraps: readonly Wrap<Request, Result, Call>[],
  base: Chain<Request, Result, Call>,
): Chain<Request, Result, Call> {
  return wraps.reduceRight<Chain<Request, Result, Call>>(
    (inner, wrap) => (request, call) => wrap(request, (next) => inner(next, call), call),
    base,
  );
}
