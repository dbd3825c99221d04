// the same, with as much as takes its time
import "./deltas-at-random.test.ts";
