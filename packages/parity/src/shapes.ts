import ts from "typescript";

/** How a declared name differs: the name or its member, and what is wrong with it. */
export interface Misfit {
  readonly of: string;
  readonly what: string;
}

/** What was compared. */
export interface Compared {
  readonly names: number;
  readonly members: number;
  readonly misfits: readonly Misfit[];
}

/**
 * Compares what two modules declare, as a program that is written for one needs it of the other: each
 * member that is public there is here; what takes arguments takes as many and asks for no more; what
 * may be left out there may be here; plain values are of a kind.
 *
 * Types of arguments and results are not compared one by one. They name classes of their own package,
 * which private members keep from fitting those of any other; that they fit where programs use them is
 * for the compiler to say of programs.
 */
export class Shapes {
  readonly #checker: ts.TypeChecker;
  readonly #seen = new Set<ts.Symbol>();
  readonly #misfits: Misfit[] = [];
  #names = 0;
  #members = 0;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }
  get compared(): Compared {
    return { names: this.#names, members: this.#members, misfits: this.#misfits };
  }
  /**
   * Names that are passed on from one place by several entry points are compared once.
   *
   * @param values - what their module exports when it runs: declarations name classes that are not there
   */
  compare(theirs: ts.Symbol, ours: ts.Symbol, values: ReadonlySet<string>): void {
    const own = new Map(this.#checker.getExportsOfModule(ours).map((one) => [one.name, this.#meant(one)]));
    for (const exported of this.#checker.getExportsOfModule(theirs)) {
      const there = this.#meant(exported);
      const here = own.get(exported.name);
      if (here === undefined || here === there || this.#seen.has(there)) continue;
      const isValue = values.has(exported.name) && (there.flags & ts.SymbolFlags.Value) !== 0;
      const isType = (there.flags & ts.SymbolFlags.Type) !== 0;
      if (isValue || (there.flags & ts.SymbolFlags.Value) === 0) this.#seen.add(there);
      this.#names += 1;
      if (isValue) this.#value(exported.name, there, here);
      if (isType) this.#type(exported.name, there, here);
    }
  }
  #meant(symbol: ts.Symbol): ts.Symbol {
    return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : this.#checker.getAliasedSymbol(symbol);
  }
  #value(name: string, there: ts.Symbol, here: ts.Symbol): void {
    const [theirs, ours] = [this.#checker.getTypeOfSymbol(there), this.#checker.getTypeOfSymbol(here)];
    this.#shape(name, theirs, ours);
    this.#arguments(`new ${name}`, theirs.getConstructSignatures(), ours.getConstructSignatures());
    const isFunction = theirs.getCallSignatures().length > 0;
    if (!isFunction) this.#membersOf(name, theirs, ours, "read");
  }
  #type(name: string, there: ts.Symbol, here: ts.Symbol): void {
    const [theirs, ours] = [there, here].map((one) => this.#checker.getDeclaredTypeOfSymbol(one)) as [
      ts.Type,
      ts.Type,
    ];
    this.#shape(name, theirs, ours);
    const hasMembers = (theirs.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
    const isClass = (there.flags & ts.SymbolFlags.Class) !== 0;
    if (hasMembers) this.#membersOf(name, theirs, ours, isClass ? "read" : "made");
  }
  /** @param use - an instance of a class is read by programs; an object of another type they also make */
  #membersOf(name: string, theirs: ts.Type, ours: ts.Type, use: "read" | "made"): void {
    for (const there of this.#checker.getPropertiesOfType(theirs)) {
      if (!isPublic(there)) continue;
      this.#members += 1;
      const of = `${name}.${there.name}`;
      const here = this.#checker.getPropertyOfType(ours, there.name);
      if (here === undefined || !isPublic(here)) {
        this.#misfit(of, "is missing");
        continue;
      }
      if (isOptional(here) && !isOptional(there)) this.#misfit(of, "may be missing");
      if (use === "made" && isOptional(there) && !isOptional(here)) this.#misfit(of, "may not be left out");
      this.#shape(of, this.#checker.getTypeOfSymbol(there), this.#checker.getTypeOfSymbol(here), use);
    }
  }
  #shape(of: string, theirs: ts.Type, ours: ts.Type, use: "read" | "made" = "read"): void {
    const [there, here] = [theirs, ours].map((type) =>
      this.#checker.getNonNullableType(type).getCallSignatures(),
    ) as [readonly ts.Signature[], readonly ts.Signature[]];
    this.#arguments(of, there, here, use);
    const isLoose = ((theirs.flags | ours.flags) & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0;
    if (isLoose || !(isPlain(theirs) || isPlain(ours))) return;
    const fits =
      this.#checker.isTypeAssignableTo(ours, theirs) || this.#checker.isTypeAssignableTo(theirs, ours);
    if (!fits) this.#misfit(of, `is ${this.#checker.typeToString(ours)}`);
  }
  /** @param use - a function that programs make may ask for fewer arguments than it is given */
  #arguments(
    of: string,
    theirs: readonly ts.Signature[],
    ours: readonly ts.Signature[],
    use: "read" | "made" = "read",
  ): void {
    if (theirs.length === 0) return;
    if (ours.length === 0) return this.#misfit(of, "cannot be called");
    const [there, here] = [countsOf(theirs), countsOf(ours)];
    if (use === "read" && here.least > there.least) this.#misfit(of, `needs ${here.least} arguments`);
    if (here.most < there.most) this.#misfit(of, `takes ${here.most} arguments`);
  }
  #misfit(of: string, what: string): void {
    this.#misfits.push({ of, what });
  }
}

/** What begins with _ or ~ is a package's own, and a symbol is found by nobody who does not have it. */
function isPublic({ name, declarations = [] }: ts.Symbol): boolean {
  if (name === "prototype" || /^[_~#]/.test(name)) return false;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return declarations.every((one) => (ts.getCombinedModifierFlags(one as ts.Declaration) & hidden) === 0);
}

const isOptional = ({ flags }: ts.Symbol): boolean => (flags & ts.SymbolFlags.Optional) !== 0;

const PLAIN =
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Null |
  ts.TypeFlags.VoidLike;

function isPlain(type: ts.Type): boolean {
  return type.isUnion() ? type.types.every(isPlain) : (type.flags & PLAIN) !== 0;
}

/** How many arguments somebody may pass to one of the signatures. */
function countsOf(signatures: readonly ts.Signature[]): { readonly least: number; readonly most: number } {
  const counts = signatures.map(({ parameters, declaration }) => {
    const declared = (declaration?.parameters ?? []) as readonly ts.ParameterDeclaration[];
    const needed = declared.findLastIndex(
      (one) => !one.questionToken && !one.initializer && !one.dotDotDotToken && one.name.getText() !== "this",
    );
    const isOpen = declared.some(({ dotDotDotToken }) => dotDotDotToken !== undefined);
    return { least: needed + 1, most: isOpen ? Number.POSITIVE_INFINITY : parameters.length };
  });
  return {
    least: Math.min(...counts.map(({ least }) => least)),
    most: Math.max(...counts.map(({ most }) => most)),
  };
}
