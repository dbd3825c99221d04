// the same, with as much as takes its time
import "./imports-unreadable.test.ts";
