// the same, with as much as takes its time
import "./model.test.ts";
