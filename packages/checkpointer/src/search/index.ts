export {
  countMatches,
  isMatch,
  type MatchMode,
  parseQuery,
  parseQuestion,
  partOf,
  type QueryTerm,
  tsQuery,
} from "./query.ts";
export {
  bm25,
  countTerms,
  indexed,
  type IndexedText,
  questionTerms,
  type Ranked,
  rankTexts,
} from "./rank.ts";
export { indexTerms, indexText } from "./terms.ts";
