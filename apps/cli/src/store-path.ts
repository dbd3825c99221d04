/** Where threads are kept unless `--db` says otherwise, relative to where the program is started. */
export const DEFAULT_DB = ".skein/skein.db";
