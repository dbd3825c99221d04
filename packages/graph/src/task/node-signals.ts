import { types } from "node:util";
import { type AbortSource, makeAbortSourcesBy } from "./abort.ts";

// Node 20 sets the prototype of a signal before it adds members, which gives each signal a hidden class of
// its own: that takes 2 us, and a hidden class outlives young collections with all that the signal leads to.
// A signal that is put together of the same members shares one. Later versions make signals by their class.
const { process } = globalThis as { process?: { readonly versions?: { readonly node?: string } } };
const IS_SLOW = process?.versions?.node?.startsWith("20.") === true;

/** An own member of a new signal: its key, and what it is, or what makes it. */
type Member = readonly [symbol, unknown, (new () => unknown) | undefined];

interface Recipe {
  readonly members: readonly Member[];
  /** Under this key a signal keeps those that are aborted with it. */
  readonly dependants: symbol;
}

type Members = Record<symbol, unknown>;

function Signal(): void {}
Signal.prototype = AbortSignal.prototype;
const Blank = Signal as unknown as new () => AbortSignal;

class PutTogether implements AbortSource {
  readonly signal = new Blank();
  readonly #dependants: symbol;

  constructor({ members, dependants }: Recipe) {
    const made = this.signal as unknown as Members;
    for (const [key, value, Maker] of members) made[key] = Maker === undefined ? value : new Maker();
    this.#dependants = dependants;
  }
  /** By way of a signal of Node's on which this one depends, so that Node itself sets it and tells of it. */
  abort(reason: unknown): void {
    const controller = new AbortController();
    (controller.signal as unknown as Members)[this.#dependants] = new Set([new WeakRef(this.signal)]);
    controller.abort(reason);
  }
}

/** How Node makes a signal, as one of its own shows; undefined for members that are not understood. */
function recipeOf(signal: AbortSignal): Recipe | undefined {
  const own = signal as unknown as Members;
  const before = Object.getOwnPropertySymbols(own);
  const members: Member[] = [];
  for (const key of before) {
    const value = own[key];
    if (types.isMap(value)) members.push([key, undefined, value.constructor as new () => unknown]);
    else if (isPrimitive(value)) members.push([key, value, undefined]);
    else return undefined;
  }
  AbortSignal.any([signal]);
  const added = Object.getOwnPropertySymbols(own).filter((key) => !before.includes(key));
  const [dependants] = added;
  return added.length === 1 && dependants !== undefined && types.isSet(own[dependants])
    ? { members, dependants }
    : undefined;
}

const isPrimitive = (value: unknown): boolean => value !== Object(value);

/** Whether signals by a recipe do what Node's do. */
function works(recipe: Recipe): boolean {
  const source = new PutTogether(recipe);
  const { signal } = source;
  if (!(signal instanceof AbortSignal) || signal.aborted) return false;
  const follower = AbortSignal.any([signal]);
  const told: Event[] = [];
  signal.addEventListener("abort", (event) => told.push(event));
  const reason = new Error("a reason");
  source.abort(reason);
  const isTold = told.length === 1 && told[0]?.isTrusted === true && told[0].target === signal;
  return isTold && (signal.aborted as boolean) && signal.reason === reason && follower.reason === reason;
}

function found(): Recipe | undefined {
  try {
    const recipe = recipeOf(new AbortController().signal);
    return recipe !== undefined && works(recipe) ? recipe : undefined;
  } catch {
    // the first versions of Node 20 have no `AbortSignal.any`
    return undefined;
  }
}

const byNode = (): AbortSource => new AbortController();

/** Finding the recipe takes as long as hundreds of signals of Node's: a process that ends soon never pays for it. */
const BEFORE_IT_PAYS = 200;

if (IS_SLOW) {
  let left = BEFORE_IT_PAYS;
  makeAbortSourcesBy(() => {
    left -= 1;
    if (left <= 0) {
      const recipe = found();
      makeAbortSourcesBy(recipe === undefined ? byNode : () => new PutTogether(recipe));
    }
    return byNode();
  });
}
