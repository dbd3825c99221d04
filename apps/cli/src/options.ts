/** Where threads are kept unless `--db` says otherwise, relative to where the program is started. */
export const DEFAULT_DB = ".skein/skein.db";

/** The channel that tells a replayed recording, whoever goes on with it, from a chat. */
export const REPLAYED = "replayed";

/** Options that every command has. */
export interface CommonOptions {
  readonly db: string;
  readonly json: boolean;
}
