/** The same package on our engine: see `on-skein.ts`. */
declare module "langchain?on-skein" {
  export * from "langchain";
}
