export { branches, deleteBranch, switchBranch, type Branch } from "./branches.ts";
export { diffCheckpoints, type ChannelDiff, type CheckpointDiff } from "./diff.ts";
export { back, forward, goTo, lineage, redo, undo, type TimeTravelSaver } from "./travel.ts";
export type { CheckpointInfo } from "../verbs/infos.ts";
