import type { Difference } from "../scenario.ts";
import { type Version, versions } from "./zod-versions.ts";

const draft07 = { $schema: "http://json-schema.org/draft-07/schema#" };

const fieldOf = (z: Version): Difference => ({
  id: "json-schemas-of-all-zods",
  name: `${z.name}: a field of a StateSchema has a JSON schema`,
  there: { properties: {}, type: "object" },
  here: {
    properties: { count: { ...draft07, default: 3, type: "number" }, name: { ...draft07, type: "string" } },
    required: ["name"],
    type: "object",
  },
  async run(lg) {
    return new lg.StateSchema({ name: z.string(), count: z.or(z.number(), 3) } as never).getJsonSchema();
  },
});

/** What the original makes of zod 3 and zod mini that differs. */
export const zodDifferences: readonly Difference[] = versions
  .filter(({ name }) => name !== "zod 4")
  .map(fieldOf);
