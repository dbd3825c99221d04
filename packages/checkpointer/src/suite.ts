/** The spec functions of vitest, jest, mocha or node:test. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** What the specs of all suites have in common. */
export interface Spec<Feature> {
  readonly group: string;
  /** Unique; stays as it is from version to version. */
  readonly name: string;
  /** What must be there for it to be run. */
  readonly needs?: Feature;
}

/** Hands the specs whose features are there to a runner, group by group. */
export function runSuite<Feature, S extends Spec<Feature>>(
  specs: readonly S[],
  features: readonly Feature[],
  { describe, it }: TestRunner,
  run: (spec: S) => Promise<void>,
): void {
  const wanted = specs.filter(({ needs }) => needs === undefined || features.includes(needs));
  for (const group of new Set(wanted.map((spec) => spec.group))) {
    describe(group, () => {
      for (const spec of wanted.filter((each) => each.group === group)) it(spec.name, () => run(spec));
    });
  }
}
