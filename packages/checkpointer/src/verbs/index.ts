export { copyThread } from "./copy.ts";
export { eraseMessage } from "./erase.ts";
export { exportThread } from "./export.ts";
export { deleteBranch, moveHead, rewind } from "./heads.ts";
export { importThread } from "./import.ts";
export { checkpointInfos } from "./infos.ts";
export { PRUNING } from "./keep.ts";
export { prune } from "./prune.ts";
export { Search, SEARCHING } from "./search.ts";
