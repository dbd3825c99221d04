import Database from "libsql";
import { describe, expect, it } from "vitest";
import {
  countMatches,
  indexTerms,
  indexText,
  isMatch,
  type MatchMode,
  parseQuery,
  parseQuestion,
  partOf,
  type QueryTerm,
  tsQuery,
} from "../src/search/index.ts";

const TEXTS = [
  "The night train to Berlin leaves at 23:10",
  "東京都に住んでいます。",
  "東京と京都は遠い",
  "我明天去北京。天安門",
  "서울에서 부산까지",
  "Ｃａｆé Zürich, ﾊﾟｿｺﾝ",
  'say "AND" OR * NOT near(x)',
  "snake_case camelCase kebab-case",
  "สวัสดีครับ",
  "party 🎉 time",
  "é".normalize("NFD"),
  "broken \ud800 half \0 nul",
  "made with \u2764\ufe0f in \u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}",
];

/** The same for `MATCH` of an FTS5 table of `indexText`s. Undefined where there is nothing to look for. */
function fts5Query(terms: readonly QueryTerm[], mode: MatchMode): string | undefined {
  const parts = terms.map((term) => {
    if (term.kind === "prefix") return `"${term.text}" *`;
    return `"${term.kind === "word" ? term.text : term.pairs.join(" ")}"`;
  });
  return parts.length === 0 ? undefined : parts.join(mode === "all" ? " AND " : " OR ");
}

/** Texts that hold what the query asks for, by three ways that have to agree. */
function found(query: string, mode: MatchMode = "all"): string[] {
  const terms = parseQuery(query);
  const here = TEXTS.filter((text) => isMatch(countMatches(indexText(text), terms), mode));
  const db = new Database(":memory:");
  db.exec("CREATE VIRTUAL TABLE t USING fts5(body, content='', tokenize='ascii')");
  const insert = db.prepare("INSERT INTO t (rowid, body) VALUES (?, ?)");
  TEXTS.forEach((text, i) => insert.run(i + 1, indexText(text)));
  const expression = fts5Query(terms, mode);
  const rows =
    expression === undefined
      ? []
      : (db.prepare("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid").raw().all(expression) as [
          number,
        ][]);
  expect(rows.map(([id]) => TEXTS[id - 1])).toEqual(here);
  return here;
}

const asked = (question: string) => parseQuestion(question).map(partOf);

describe("full-text search, in process and in FTS5 (D6)", () => {
  it.each([
    ["NIGHT berlin", 0],
    ["東京", 1, 2],
    ["東京都", 1],
    ["京都", 1, 2],
    ["京", 1, 2, 3],
    ["北京", 3],
    ["天安門", 3],
    ["門", 3],
    // 北京 ends a sentence and 天安門 begins one: they are no word together
    ["京天"],
    ["서울", 4],
    ["부산", 4],
    ["cafe zurich", 5],
    ["パソコン", 5],
    ["ＡＮＤ", 6],
    ['"near(', 6],
    ["case", 7],
    ["snake_case", 7],
    ["camel"],
    ["สวัสดี", 8],
    ["🎉", 9],
    ["half nul", 11],
    // a sign as text and in colour
    ["\u2764", 12],
    ["\u2764\ufe0f", 12],
    ["\u{1f1eb}\u{1f1f7}", 12],
    // the halves of two flags are no third one
    ["\u{1f1ea}\u{1f1eb}"],
    ["É", 10],
    ["the 東京"],
    ["* - \" ' ( : \0 \ud800"],
    [""],
  ])("%s", (query, ...at) => expect(found(query)).toEqual(at.map((i) => TEXTS[i as number])));

  it("finds any of the terms", () =>
    expect(found("berlin 서울 nowhere", "any")).toEqual([TEXTS[0], TEXTS[4]]));

  it("counts neighbours that share their blank", () =>
    expect(countMatches(indexText("go go go 東東東"), parseQuery("go 東東 東"))).toEqual([3, 2, 3]));

  it("a query has no operators, and its terms no quotes", () => {
    const terms = parseQuery(`a' | !b & c:* <-> "d" OR NEAR(e, 2) -- \\`);
    expect(tsQuery(terms, "all")).toBe("'a' & 'b' & 'c' & 'd' & 'or' & 'near' & 'e' & '2'");
    expect(tsQuery(parseQuery("東京都 x 京"), "any")).toBe("('東京' & '京都') | 'x' | '京':*");
    expect(tsQuery(parseQuery("..."), "all")).toBeUndefined();
  });

  it("a sentence without spaces asks for each of its pairs, a word for itself", () => {
    expect(asked("東京都")).toEqual([" 東京 京都 "]);
    expect(asked("東京都の天気")).toEqual([" 東京 ", " 京都 ", " 都の ", " の天 ", " 天気 "]);
    expect(asked("天気 東京東京東京 night")).toEqual([" 天気 ", " 東京 ", " 京東 ", " night "]);
    expect(asked(Array.from({ length: 5000 }, (_, i) => `w${i}`).join(" "))).toHaveLength(100);
  });

  it("no query asks for more than a hundred terms", () => {
    const words = Array.from({ length: 100_000 }, (_, i) => `w${i}`).join(" ");
    expect(parseQuery(words).map(partOf)).toEqual(Array.from({ length: 100 }, (_, i) => ` w${i} `));
  });

  it("text without a letter beyond ASCII has the same terms as where there is one", () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("a");
    expect(indexTerms(`${ascii} \u30a2`)).toEqual([...indexTerms(ascii), "\u30a2"]);
    expect(indexTerms("NAI\u0308VE Stra\u00dfe a_b")).toEqual(["naive", "stra\u00dfe", "a", "b"]);
  });

  it("words no one types are cut alike in index and query", () => {
    const blob = "x".repeat(5000);
    expect(indexTerms(blob)[0]).toHaveLength(64);
    expect(isMatch(countMatches(indexText(`see ${blob}`), parseQuery(blob)), "all")).toBe(true);
  });
});
