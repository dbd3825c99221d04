// the same, with as much as takes its time
import "./storage-size.test.ts";
