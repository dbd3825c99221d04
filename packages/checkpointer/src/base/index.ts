export { AsyncBatchedStore } from "./batched-store.ts";
export { copyCheckpoint, emptyCheckpoint, newCheckpointId } from "./checkpoint.ts";
export { DeltaSnapshot, isDeltaSnapshot } from "./delta-snapshot.ts";
export { isoTime } from "./iso-time.ts";
export { BaseCheckpointSaver } from "./saver.ts";
export { BaseStore } from "./store.ts";
// an engine hands them on, and a file less to load is a millisecond
export { MemorySaver } from "../memory/index.ts";
export { InMemoryStore } from "../store/index.ts";
