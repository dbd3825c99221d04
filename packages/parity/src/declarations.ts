import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import ts from "typescript";

/** A declared name: how many type arguments it takes, where that can be read. */
export interface Declared {
  /** Undefined for what stands in another package, and for what has none. */
  readonly typeParameters: { readonly required: number; readonly all: number } | undefined;
}

type Node = ts.Node & {
  readonly name?: ts.Node;
  readonly typeParameters?: readonly ts.TypeParameterDeclaration[];
};

/** What a source or declaration file exports, those of files that it passes on included. */
export function exportsOf(file: string): Map<string, Declared> {
  const known = read.get(file);
  if (known !== undefined) return known;
  const found = new Map<string, Declared>();
  read.set(file, found);
  for (const statement of parsed(file).statements) {
    if (ts.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier === undefined ? file : target(file, statement.moduleSpecifier);
      if (statement.exportClause === undefined) {
        if (from !== undefined) for (const [name, one] of exportsOf(from)) found.set(name, one);
      } else if (ts.isNamedExports(statement.exportClause)) {
        for (const { name, propertyName } of statement.exportClause.elements) {
          found.set(name.text, declared(from, (propertyName ?? name).text, from === file));
        }
      }
    } else if (isExported(statement)) {
      for (const name of namesOf(statement)) found.set(name, describe(statement));
    }
  }
  return found;
}

const read = new Map<string, Map<string, Declared>>();
const cache = new Map<string, ts.SourceFile>();

function parsed(file: string): ts.SourceFile {
  let source = cache.get(file);
  if (source === undefined) {
    source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
    cache.set(file, source);
  }
  return source;
}

/** The file that a relative specifier means; undefined for a package. */
function target(file: string, specifier: ts.Expression): string | undefined {
  const path = (specifier as ts.StringLiteral).text;
  if (!path.startsWith(".")) return undefined;
  const whole = resolve(dirname(file), path);
  return [whole, whole.replace(/\.js$/, ".d.ts")].find((one) => one.endsWith("ts") && existsSync(one));
}

/** @param local - the name is one that the file itself knows, be it by an import */
function declared(file: string | undefined, name: string, local: boolean): Declared {
  if (file === undefined) return UNKNOWN;
  if (!local) return exportsOf(file).get(name) ?? UNKNOWN;
  for (const statement of parsed(file).statements) {
    // a class or a type tells more than a constant of the same name
    if (!ts.isVariableStatement(statement) && namesOf(statement).includes(name)) return describe(statement);
  }
  for (const statement of parsed(file).statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    const imported = bindings.elements.find((element) => element.name.text === name);
    if (imported === undefined) continue;
    return declared(
      target(file, statement.moduleSpecifier),
      (imported.propertyName ?? imported.name).text,
      false,
    );
  }
  return UNKNOWN;
}

const UNKNOWN: Declared = { typeParameters: undefined };

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  }
  const { name } = statement as Node;
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

/** Functions infer their type arguments; who writes them out is rare. */
function describe(statement: ts.Statement): Declared {
  if (ts.isFunctionDeclaration(statement) || ts.isVariableStatement(statement)) return UNKNOWN;
  const parameters = (statement as Node).typeParameters ?? [];
  const required = parameters.filter((one) => one.default === undefined).length;
  return { typeParameters: { required, all: parameters.length } };
}
