import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoTime } from "../src/base/iso-time.ts";

describe("a time as ISO 8601", () => {
  it("is written as Date writes it, in every year that Date knows", () => {
    const near = fc.integer({ min: 0, max: 4_102_444_800_000 });
    const any = fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 });
    fc.assert(
      fc.property(fc.oneof(near, any), (time) => {
        expect(isoTime(time)).toBe(new Date(time).toISOString());
      }),
      { numRuns: 2_000 },
    );
    for (const text of ["0000-01-01T00:00:00.000Z", "0999-12-31T23:59:59.999Z", "2024-02-29T00:00:00.007Z"]) {
      expect(isoTime(Date.parse(text))).toBe(text);
    }
  });

  it("refuses what is no time, as Date does", () => {
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, 8_640_000_000_000_001]) {
      expect(() => isoTime(time)).toThrow(RangeError);
    }
  });
});
