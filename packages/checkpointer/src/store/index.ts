export { InMemoryStore } from "./memory/index.ts";
export type { StoreOperation } from "./core/operations.ts";
export type {
  FilterOperators,
  GetOptions,
  PutOptions,
  SearchOptions,
  StoreOptions,
  TTLConfig,
} from "./core/types.ts";
