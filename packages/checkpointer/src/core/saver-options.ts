import type { Codec } from "../codec/types.ts";

export interface SaverOptions {
  /** How values become text. Default: `defaultCodec`. A database has to be read with the tags it was written with. */
  readonly codec?: Codec;
  /**
   * Bytes, roughly, that decoded messages may take which are kept between runs, so that the next
   * run of a thread need not read them. Default: 67,108,864 (64 Mi).
   */
  readonly cacheBytes?: number;
  /**
   * Whose threads these are. A saver sees and touches only threads of its tenant, whatever thread
   * ids, checkpoint ids or filters it is given. Default: "", the tenant of those who name none.
   */
  readonly tenant?: string;
}
