import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compactionPolicy } from "@skein/context";
import { expect, it } from "vitest";
import { PRESET_OPTIONS } from "../src/presets/preset.ts";
import { contextSettings } from "../src/summarization/index.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Where the options of each group of the table are declared, and where their defaults stand. */
const GROUPS: Readonly<
  Record<string, { readonly types: readonly (readonly [string, string])[]; readonly code: string }>
> = {
  summarization: {
    types: [
      ["packages/context/src/plan/policy.ts", "CompactionOptions"],
      ["packages/middleware/src/summarization/options.ts", "SummarizationOptions"],
      ["packages/middleware/src/shared/restoring.ts", "RestoreOption"],
    ],
    code: "packages/middleware/src/summarization/options.ts",
  },
  compression: shaping("tool-output-compression/middleware.ts", "ToolOutputCompressionOptions"),
  offloading: shaping("tool-output-offloading/middleware.ts", "ToolOutputOffloadingOptions"),
  "context editing": shaping("context-editing/middleware.ts", "ContextEditingOptions"),
  ClearToolUsesEdit: own("context-editing/clear-tool-uses.ts", "ClearToolUsesEditOptions"),
  "run loops": shaping("run-loops/middleware.ts", "RunLoopsOptions"),
  recall: own("recall/middleware.ts", "RecallOptions"),
};

/** Options that are declared elsewhere than in an interface of their own. */
const LISTED: Readonly<Record<string, readonly string[]>> = {
  presets: Object.keys(PRESET_OPTIONS),
  user: Object.keys(contextSettings.shape.contextOptimization.unwrap().shape),
};

function own(file: string, type: string) {
  const code = `packages/middleware/src/${file}`;
  return { types: [[code, type]] as const, code };
}

function shaping(file: string, type: string) {
  const { types, code } = own(file, type);
  return {
    types: [...types, ["packages/middleware/src/shared/restoring.ts", "RestoreOption"]] as const,
    code,
  };
}

/** The names that an interface declares. */
function namesIn(path: string, type: string): string[] {
  const body = new RegExp(`export interface ${type}[^{]*\\{\\n(.*?)\\n\\}`, "su").exec(read(path))?.[1];
  if (body === undefined) throw new Error(`there is no interface ${type} in ${path}`);
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gmu)].map(([, name]) => name as string);
}

/** Rows of the table, by what they are of: option and default. */
function table(): Map<string, Map<string, string>> {
  const rows = [
    ...read("docs/concepts/context.md").matchAll(/^\| ([\w ]+) \| `(\w+)` \| (.*?) ?\| .+ \|$/gmu),
  ];
  const groups = new Map<string, Map<string, string>>();
  for (const [, of = "", option = "", standard = ""] of rows) {
    groups.set(of, (groups.get(of) ?? new Map<string, string>()).set(option, standard));
  }
  return groups;
}

it("the table of options has every option of every group, and no other", () => {
  const documented = Object.fromEntries(
    [...table()].map(([of, options]) => [of, [...options.keys()].toSorted()]),
  );
  const declared = Object.fromEntries(
    Object.entries(GROUPS).map(([of, { types }]) => [
      of,
      [...new Set(types.flatMap(([path, type]) => namesIn(path, type)))].toSorted(),
    ]),
  );
  const listed = Object.fromEntries(Object.entries(LISTED).map(([of, names]) => [of, names.toSorted()]));
  expect(documented).toEqual({ ...declared, ...listed });
});

it("each figure, text and switch that it gives as a default is the code's", () => {
  const plain = compactionPolicy({ trigger: { messages: 30 } });
  const policy: Readonly<Record<string, unknown>> = { ...plain, background: plain.start !== undefined };
  const checked: string[] = [];
  for (const [of, options] of table()) {
    if (Object.hasOwn(LISTED, of)) continue;
    const code = read((GROUPS[of] as (typeof GROUPS)[string]).code);
    for (const [option, standard] of options) {
      const literal = /^`?("[^"]*"|[\d,]+|true|false)`?$/u.exec(standard)?.[1]?.replaceAll(/(?<=\d),/gu, "");
      if (literal === undefined) continue;
      const inCode = new RegExp(`\\b${option} (?:=|\\?\\?) ("[^"]*"|[\\d_]+|true|false|[A-Z_]+)`, "u").exec(
        code,
      )?.[1];
      const inDocs = new RegExp(
        `[dD]efault:? ("[^"]*"|[\\d,]+|\`"[^"]*"\`)[^\\n]*\\n(?:[^\\n]*\\n)?[^\\n]*readonly ${option}\\??:`,
        "u",
      ).exec(code)?.[1];
      const found =
        inCode?.replaceAll("_", "") ?? inDocs?.replaceAll(/[,`]/gu, "") ?? JSON.stringify(policy[option]);
      expect(`${of}.${option} ${found === "DEFAULTWINDOW" ? 128000 : found}`).toBe(
        `${of}.${option} ${literal}`,
      );
      checked.push(option);
    }
  }
  expect(checked.length).toBeGreaterThan(25);
});
