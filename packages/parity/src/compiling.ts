import ts from "typescript";

/** How programs are compiled against the sources of both. */
export const COMPILER_OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  types: ["node"],
  allowImportingTsExtensions: true,
  customConditions: ["@skein/source"],
};

/**
 * What the compiler says of programs, in one line each.
 *
 * @param root - what file names begin with, and `as`, what stands for it
 */
export function linesOf(diagnostics: readonly ts.Diagnostic[], root: string, as = ""): string[] {
  return diagnostics.map(({ file, start = 0, messageText }) => {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
    return `${file?.fileName.replace(root, as)}:${line} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}
