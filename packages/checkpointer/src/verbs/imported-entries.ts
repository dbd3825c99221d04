import type { ListEntry } from "../manifest/list-entry.ts";
import type { ListImage } from "../manifest/list-image.ts";
import type { Entry } from "../manifest/manifest.ts";
import { eachOrdinal, rangesLength, type Ranges } from "../manifest/ranges.ts";
import type { ImportedLanes } from "./imported-lanes.ts";

/** Whether an entry of a manifest can be read from the lanes that came in, as far as those are there. */
export function fitsLanes(entry: Entry, lanes: ImportedLanes): boolean {
  switch (entry.kind) {
    case "inline":
      return true;
    case "item":
      return lanes.isValue(entry.lane);
    case "map":
      return lanes.isRecord(entry.lane, entry.from, entry.to);
    default:
      return isList(entry, lanes);
  }
}

function isList(list: ListEntry, lanes: ImportedLanes): boolean {
  const chunks = list.chunks === undefined ? [] : chunksOf(list.chunks, lanes);
  if (chunks === undefined || list.length !== lengthOf([...chunks, list.tail])) return false;
  return [...chunks, list.tail].every((ranges) => areElements(ranges, lanes, list.kind === "log"));
}

/** What the chunks hold of which a list is one; undefined where one of them is none, or is not there. */
function chunksOf(list: ListImage, lanes: ImportedLanes): Ranges[] | undefined {
  const above = list.chunks === undefined ? [] : chunksOf(list.chunks, lanes);
  if (above === undefined || list.length !== lengthOf([...above, list.tail])) return undefined;
  const found: Ranges[] = [];
  for (const ranges of [...above, list.tail]) {
    for (const [lane, ord] of eachOrdinal(ranges)) {
      const chunk = lanes.chunk(lane, ord);
      if (chunk === undefined) return undefined;
      found.push(chunk);
    }
  }
  return found;
}

function areElements(ranges: Ranges, lanes: ImportedLanes, isLog: boolean): boolean {
  for (let i = 0; i < ranges.length; i += 3) {
    const [lane, from, to] = [ranges[i] as number, ranges[i + 1] as number, ranges[i + 2] as number];
    if (!lanes.areElements(lane, from, to, isLog)) return false;
  }
  return true;
}

const lengthOf = (parts: readonly Ranges[]): number =>
  parts.reduce((sum, ranges) => sum + rangesLength(ranges), 0);
