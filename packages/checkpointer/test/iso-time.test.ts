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

  it("writes times of one second as it writes any other", () => {
    const second = Date.parse("2026-11-27T21:10:59.000Z");
    for (const later of [0, 1, 1.5, 42, 999, 999.9, 1_000, 1_001, 59_999, -1, -0.5]) {
      expect(isoTime(second + later)).toBe(new Date(second + later).toISOString());
    }
    for (const early of [-1, -0.5, 0, 0.5, 1, -999, -1_000, -1_001]) {
      expect(isoTime(early)).toBe(new Date(early).toISOString());
    }
  });

  it("refuses what is no time, as Date does", () => {
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, 8_640_000_000_000_001]) {
      expect(() => isoTime(time)).toThrow(RangeError);
    }
  });
});
