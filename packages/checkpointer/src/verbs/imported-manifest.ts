import type { Json } from "../codec/types.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { isRanges, rangesLength } from "../manifest/ranges.ts";
import { INLINE, ITEM, LIST, LOG, MAP, parseManifest } from "../manifest/text.ts";
import type { ImportedValues } from "./imported-values.ts";
import type { Line } from "./lines.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The manifest of a line, each part of which has the form that is printed. */
export function importedManifest(line: Line, values: ImportedValues): Manifest {
  const text = line.encoded("manifest");
  const { c = {}, v = {}, s = {}, f = 4 } = line.object("manifest");
  for (const [channel, entry] of fieldsOf(c)) {
    if (!isEntry(entry)) throw line.wrong(`has an entry of channel "${channel}" that cannot be read`);
    if (entry !== 0 && entry[0] === INLINE) values.read(line, entry[1] as Json);
  }
  const isWhole = [c, s].every(isRecord) && isSaid(v) && isCount(f);
  if (!isWhole || !fieldsOf(s).every(([, said]) => isSaid(said)))
    throw line.wrong("has a manifest that cannot be read");
  return parseManifest(text);
}

function isEntry(entry: unknown): entry is 0 | readonly [number, ...unknown[]] {
  if (entry === 0) return true;
  if (!Array.isArray(entry)) return false;
  const [kind, ...said] = entry as readonly unknown[];
  if (kind === INLINE) return said.length === 1;
  if (kind === ITEM) return said.length === 2 && said.every(isCount);
  if (kind === MAP) return isRanges(said) && said.length === 3 && (said[1] as number) < (said[2] as number);
  return (kind === LIST || kind === LOG) && isList(said);
}

function isList(said: unknown): boolean {
  if (!Array.isArray(said) || said.length < 2 || said.length > 3) return false;
  const [length, tail, chunks] = said as readonly unknown[];
  if (!isCount(length) || !isRanges(tail)) return false;
  return said.length === 2 ? length === rangesLength(tail) : isList(chunks);
}

/** Versions: one for all, or one for each channel. */
function isSaid(said: unknown): boolean {
  return (
    typeof said === "number" || (isRecord(said) && fieldsOf(said).every(([, version]) => isVersion(version)))
  );
}

const isVersion = (version: unknown): boolean =>
  version === null || typeof version === "string" || typeof version === "number";

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const fieldsOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);
