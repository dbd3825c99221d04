export {
  countMatches,
  fts5Query,
  isMatch,
  type MatchMode,
  parseQuery,
  parseQuestion,
  partOf,
  type QueryTerm,
  tsQuery,
} from "./query.ts";
export { indexTerms, indexText } from "./terms.ts";
