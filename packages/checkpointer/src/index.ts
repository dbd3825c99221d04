export {
  CHANGE_SETS,
  OWN_CONTRACT,
  type Awaitable,
  type ChangeSet,
  type ChangeSets,
  type ChangeSetSaver,
  type ChannelChange,
  type CheckpointAddress,
  type Claim,
  type LateId,
  type LogEntry,
  type Opened,
  type OpenOptions,
  type Page,
  type PageOptions,
  type Segment,
  type StoredChannel,
  type StoredLog,
  type StoredCheckpoint,
  type TaskWrites,
} from "./changeset/types.ts";
export { createCodec, defaultCodec, type Codec, type CodecOptions, type CodecTag } from "./codec/index.ts";
export type { SizesRow as StorageReport, ThreadPosition, ThreadRow } from "./core/backend.ts";
export { MemorySaver, type ListThreadsOptions, type SaverOptions } from "./memory/index.ts";
export type { Derivations, ErasedMessage, StoredObject } from "./verbs/derived.ts";
export type { EraseOptions, EraseReport } from "./verbs/erase.ts";
export type { HistoryOptions } from "./verbs/history.ts";
export type { ImportOptions, ImportReport } from "./verbs/import.ts";
export { migrateThread, type MigrateOptions, type MigrateProgress } from "./verbs/migrate.ts";
export type { PruneOptions } from "./verbs/keep.ts";
export type { PruneReport } from "./verbs/remove.ts";
export { indexed, type IndexedText, type Ranked, rankTexts } from "./search/index.ts";
export type { SearchHit, SearchOptions, SearchPage } from "./verbs/search.ts";
export type { SweeperOptions, SweepOptions } from "./verbs/sweep.ts";
export * from "./timeline/index.ts";
