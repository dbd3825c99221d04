import { expect, test } from "vitest";
import { checkTypes, wideProgram } from "./support/type-cost.ts";

const BUDGET = 5000;

test("30 fields and 40 nodes cost the type checker no more than the budget", () => {
  const { instantiations, errors } = checkTypes(wideProgram(), import.meta.dirname);
  expect(errors).toEqual([]);
  expect(instantiations).toBeGreaterThan(500);
  expect(instantiations).toBeLessThanOrEqual(BUDGET);
}, 120_000);

test("the program that is measured is checked: a wrong key in it is an error", () => {
  const wrong = wideProgram().replace("f1: state.f1", "f1: 5");
  expect(checkTypes(wrong, import.meta.dirname).errors.join()).toContain("not assignable");
}, 120_000);
