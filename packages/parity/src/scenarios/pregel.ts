import { pregelChannels } from "./pregel-channels.ts";
import { pregelControl } from "./pregel-control.ts";
import { pregelPrograms } from "./pregel-programs.ts";
import { pregelStreams } from "./pregel-streams.ts";
import { pregelThreads } from "./pregel-threads.ts";
import { pregelWrong } from "./pregel-wrong.ts";

export const pregel = [
  ...pregelPrograms,
  ...pregelChannels,
  ...pregelStreams,
  ...pregelThreads,
  ...pregelControl,
  ...pregelWrong,
];
