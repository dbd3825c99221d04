// the same, with as much as takes its time
import "./dual-track.property.test.ts";
