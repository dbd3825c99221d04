import { pushRange, pushSlice, rangesLength, type Ranges } from "./ranges.ts";

/** Most loose ranges of a list in a manifest; what is beyond them stands in chunks. */
export const MAX_RANGES = 16;
/** A run of loose ranges that is shorter takes the chunk behind it in, so chunks stay full, also at the beginning. */
const MIN_RUN = 4;
const TRIPLE = 3;

/**
 * Where the elements of a list are. A list is ranges of ordinals; one that grew ragged keeps all
 * but its last ranges in chunks of up to 16, immutable items, and the chunks are a list again.
 * So a manifest holds at most 16 ranges a level, and a change rewrites one chunk a level.
 */
export interface ListImage {
  readonly length: number;
  /** The ranges after the last chunk. */
  readonly tail: Ranges;
  /** The list of chunk items; undefined while there are none. */
  readonly chunks: ListImage | undefined;
}

/** A list image whose chunks were read: what changing it in the middle needs. */
export interface LoadedList {
  readonly image: ListImage;
  /** All ranges. */
  readonly ranges: Ranges;
  /** The ranges of each chunk, in order. */
  readonly chunkRanges: readonly Ranges[];
  readonly chunks: LoadedList | undefined;
}

export const EMPTY_LIST: ListImage = { length: 0, tail: [], chunks: undefined };

/** Stores ranges as a new chunk item and says where it is. */
export type StoreChunk = (ranges: Ranges) => readonly [lane: number, ord: number];

/** Appends ranges. Needs no chunk to be read. */
export function appendRanges(image: ListImage, added: Ranges, store: StoreChunk): ListImage {
  const tail = [...image.tail];
  for (let i = 0; i < added.length; i += TRIPLE) {
    pushRange(tail, added[i] as number, added[i + 1] as number, added[i + 2] as number);
  }
  const length = image.length + rangesLength(added);
  let chunks = image.chunks;
  while (tail.length > MAX_RANGES * TRIPLE) {
    const [lane, ord] = store(tail.splice(0, MAX_RANGES * TRIPLE));
    chunks = appendRanges(chunks ?? EMPTY_LIST, [lane, ord, ord + 1], store);
  }
  // a list that grew has room for more than it needs, and this one may be kept
  return { length, tail: tail.slice(), chunks };
}

/** A piece of a new list: elements `[from, to)` of the old one, or new items. */
export type Piece = { readonly keep: readonly [from: number, to: number] } | { readonly items: Ranges };

/** How many elements stand in chunks. */
export function chunkedLength(image: ListImage): number {
  return image.chunks === undefined ? 0 : image.length - rangesLength(image.tail);
}

/**
 * Like `spliceList`, for pieces that begin by keeping whatever stands in chunks: an append, or a
 * replacement near the end. Needs no chunk to be read.
 */
export function spliceTail(old: ListImage, pieces: readonly Piece[], store: StoreChunk): ListImage {
  const [first, second] = pieces;
  if (pieces.length === 2 && second !== undefined && "items" in second && isWhole(first, old)) {
    return appendRanges(old, second.items, store);
  }
  const fixed = chunkedLength(old);
  const tail: number[] = [];
  for (const [i, piece] of pieces.entries()) {
    if ("items" in piece) {
      for (let at = 0; at < piece.items.length; at += TRIPLE) pushAt(tail, piece.items, at);
      continue;
    }
    const [from, to] = piece.keep;
    const start = i === 0 ? Math.max(from, fixed) : from;
    pushSlice(tail, old.tail, start - fixed, to - fixed);
  }
  return appendRanges({ length: fixed, tail: [], chunks: old.chunks }, tail, store);
}

/** Whether a piece, of a list or of what is told of one, keeps all of the old list. */
export function isWhole(
  piece: Piece | { readonly add: readonly unknown[] } | undefined,
  { length }: ListImage,
): boolean {
  return piece !== undefined && "keep" in piece && piece.keep[0] === 0 && piece.keep[1] === length;
}

/** Puts a list together from pieces of an old one and new items; chunks that stay whole are reused. */
export function spliceList(old: LoadedList, pieces: readonly Piece[], store: StoreChunk): ListImage {
  const ranges: number[] = [];
  for (const piece of pieces) {
    if ("keep" in piece) pushSlice(ranges, old.ranges, piece.keep[0], piece.keep[1]);
    else for (let i = 0; i < piece.items.length; i += TRIPLE) pushAt(ranges, piece.items, i);
  }
  const length = rangesLength(ranges);
  if (ranges.length <= MAX_RANGES * TRIPLE) return { length, tail: ranges, chunks: undefined };
  const runs = cut(ranges, old.chunkRanges);
  const last = runs.at(-1);
  const tail = last !== undefined && "loose" in last ? takeTail(runs, last.loose) : [];
  const chunkPieces: Piece[] = [];
  for (const run of runs) {
    if ("chunk" in run) chunkPieces.push({ keep: [run.chunk, run.chunk + 1] });
    else for (const part of evenly(run.loose)) chunkPieces.push({ items: chunkRange(store(part)) });
  }
  return { length, tail, chunks: spliceList(old.chunks ?? NOTHING, chunkPieces, store) };
}

const NOTHING: LoadedList = { image: EMPTY_LIST, ranges: [], chunkRanges: [], chunks: undefined };

type Run = { readonly chunk: number } | { loose: number[] };

/** Divides ranges into old chunks that occur in them unchanged, and loose runs between these. */
function cut(ranges: Ranges, oldChunks: readonly Ranges[]): Run[] {
  const starts = new Map<string, number>();
  oldChunks.forEach((chunk, i) => starts.set(`${chunk[0]}:${chunk[1]}`, i));
  const runs: Run[] = [];
  for (let at = 0; at < ranges.length;) {
    const chunk = starts.get(`${ranges[at]}:${ranges[at + 1]}`);
    const known = chunk === undefined ? undefined : oldChunks[chunk];
    if (chunk !== undefined && known !== undefined && occursAt(ranges, at, known)) {
      const last = runs.at(-1);
      if (last !== undefined && "loose" in last && last.loose.length < MIN_RUN * TRIPLE)
        last.loose.push(...known);
      else runs.push({ chunk });
      at += known.length;
    } else {
      loose(runs).push(ranges[at] as number, ranges[at + 1] as number, ranges[at + 2] as number);
      at += TRIPLE;
    }
  }
  return runs;
}

function occursAt(ranges: Ranges, at: number, chunk: Ranges): boolean {
  for (let i = 0; i < chunk.length; i += 1) if (ranges[at + i] !== chunk[i]) return false;
  return true;
}

/** The loose run at the end; a new one behind a chunk. */
function loose(runs: Run[]): number[] {
  const last = runs.at(-1);
  if (last !== undefined && "loose" in last) return last.loose;
  const run: Run = { loose: [] };
  runs.push(run);
  return run.loose;
}

/** Takes the last ranges out of the last run, to stand loose in the manifest. */
function takeTail(runs: Run[], last: number[]): number[] {
  const size = last.length / TRIPLE;
  const kept = size <= MAX_RANGES ? size : size % MAX_RANGES || MAX_RANGES;
  const tail = last.splice(last.length - kept * TRIPLE);
  if (last.length === 0) runs.pop();
  return tail;
}

function* evenly(ranges: Ranges): Generator<Ranges> {
  const size = ranges.length / TRIPLE;
  const parts = Math.ceil(size / MAX_RANGES);
  for (let i = 0; i < parts; i += 1) {
    yield ranges.slice(
      Math.floor((i * size) / parts) * TRIPLE,
      Math.floor(((i + 1) * size) / parts) * TRIPLE,
    );
  }
}

function chunkRange([lane, ord]: readonly [number, number]): Ranges {
  return [lane, ord, ord + 1];
}

function pushAt(into: number[], ranges: Ranges, i: number): void {
  pushRange(into, ranges[i] as number, ranges[i + 1] as number, ranges[i + 2] as number);
}
