export { RemoteGraph, type RemoteGraphParams } from "./remote/remote-graph.ts";
