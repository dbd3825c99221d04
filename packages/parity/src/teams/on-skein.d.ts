/** The same packages on our engine: see `on-skein.ts`. */
declare module "@langchain/langgraph-supervisor?on-skein" {
  export * from "@langchain/langgraph-supervisor";
}
declare module "@langchain/langgraph-swarm?on-skein" {
  export * from "@langchain/langgraph-swarm";
}
