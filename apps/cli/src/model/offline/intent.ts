/** What the user wants, as far as a reader without a language model can tell. */
export type Intent =
  | { readonly kind: "greeting" }
  | { readonly kind: "help" }
  | { readonly kind: "explore"; readonly path: string }
  | { readonly kind: "changed"; readonly path: string | undefined }
  /** `verbatim`: the file as it stands, and no account of it. */
  | { readonly kind: "summarise"; readonly path: string | undefined; readonly verbatim: boolean }
  | { readonly kind: "where"; readonly subject: string }
  | { readonly kind: "recall" }
  | { readonly kind: "question"; readonly keywords: readonly string[] };

const STOP_WORDS = new Set(
  (
    "a about above after again all also an and any are as at be because been before being below between both but by " +
    "can could did do does doing down during each few find for from further get give had has have having he her here " +
    "hers him his how i if in into is it its just let look me might more most my no nor not now of off on once only or " +
    "other our out over own please same she should show so some such tell than that the their them then there these " +
    "they this those through to too under until up us use used uses very want was we were what when where which while " +
    "who whom why will with would you your file files folder project repository repo code work works mean means"
  ).split(" "),
);

// It starts only where a word does: started inside a long word, it would be tried at every letter.
const PATH =
  /(?<![\w@.-])(?:(?:[\w@.-]+\/)+[\w@.-]*|\.?[\w@-][\w@.-]*\.[a-zA-Z]\w{0,7}\b)|\b(?:README|LICENSE|Makefile|Dockerfile)\b/;

/** The first thing in a text that looks like a file or folder. */
function findPath(text: string): string | undefined {
  return PATH.exec(text)?.[0]?.replace(/[./]+$/, "") || undefined;
}

/** The last one: what "it" or "that file" refers to. */
export function findLastPath(text: string): string | undefined {
  const all = text.match(new RegExp(PATH, "g")) ?? [];
  return all.at(-1)?.replace(/[./]+$/, "") || undefined;
}

/** What is longer is no word that anybody searches for. */
const MAX_WORD = 200;

/** Words that carry meaning, longest first; a quoted phrase is one word. */
export function keywords(text: string): string[] {
  const quoted = quotedIn(text);
  const words = (text.match(/[\p{L}\p{N}_$@.-]+/gu) ?? [])
    .map((word) => word.replace(/^[.-]+|[.-]+$/g, ""))
    .filter((word) => word.length > 1 && word.length <= MAX_WORD && !STOP_WORDS.has(word.toLowerCase()));
  return [...new Set([...quoted, ...words.sort((a, b) => b.length - a.length)])];
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/[`"“«]([^`"”»\n]{2,80})[`"”»]/g)].map((match) => match[1] ?? "");
}

const RULES: readonly { readonly when: RegExp; readonly intent: (text: string, rest: string) => Intent }[] = [
  {
    when: /^(hi|hello|hey|good (morning|evening|afternoon)|thanks|thank you)\b.{0,30}$/i,
    intent: () => ({ kind: "greeting" }),
  },
  {
    when: /^(help|\?)$|\b(what can you do|who are you|how do you work)\b/i,
    intent: () => ({ kind: "help" }),
  },
  {
    when: /\bwhat (did|have) (i|we|you) (ask|sa[iy]|talk|discuss|look|do|done|read|find|found)|\b(first|last|previous) question\b|\bso far\b/i,
    intent: () => ({ kind: "recall" }),
  },
  {
    when: /\bwhat('s| has| is|’s)? (been )?(changed|new)\b|改了什么|变更|提交记录|\b(recent|latest|last) (changes|commits?)\b|\bgit log\b|\bcommits?\b|\bchange ?log of\b|\bhistory of\b/i,
    intent: (text) => ({ kind: "changed", path: findPath(text) }),
  },
  {
    when: /\b(where|who) (is|are|do|does|can|defines?|uses?|calls?)\b(?<rest>.*)|^(please )?(find|search|grep|locate|look)( for)?\b(?<rest2>.*)|在哪/i,
    intent: (text, rest) => ({ kind: "where", subject: subjectOf(rest || text) }),
  },
  {
    when: /\b(explore|look around|overview|what is this (repo|repository|project|folder)|list( all| the)? files|which files|what files|structure|what is (in )?here)\b|有哪些文件|列出文件/i,
    intent: (text) => ({ kind: "explore", path: findPath(text) ?? "." }),
  },
  {
    when: /\b(summari[sz]e|sum up|summary|tl;?dr|explain|describe|outline|read|open|show|what('s| is| does))\b|总结|概括|摘要|解释/i,
    intent: (text) => summariseOrAsk(text),
  },
];

export function readIntent(question: string): Intent {
  for (const { when, intent } of RULES) {
    const match = when.exec(question);
    if (match) return intent(question, match.groups?.["rest"] ?? match.groups?.["rest2"] ?? "");
  }
  const path = findPath(question);
  if (path && question.trim() === path) return { kind: "summarise", path, verbatim: false };
  return { kind: "question", keywords: keywords(question).slice(0, 3) };
}

const READING = /\b(read|open|show)\b/i;
const SUMMARY_WORD = /\b(summari[sz]e|sum up|summary|tl;?dr|outline)\b|总结|概括|摘要/i;

function summariseOrAsk(text: string): Intent {
  const path = quotedIn(text).find((phrase) => findPath(phrase) === phrase) ?? findPath(text);
  const means = SUMMARY_WORD.test(text);
  const points = /\b(it|this|that|the) ?(file|one|document)?\W*$/i.test(text);
  const verbatim = READING.test(text) && !means;
  if (path || points) return { kind: "summarise", path, verbatim };
  const word = keywords(text).find((each) => !SUMMARY_WORD.test(each));
  if (means) return { kind: "summarise", path: word, verbatim };
  return { kind: "question", keywords: keywords(text).slice(0, 3) };
}

/** "the function `foo` defined?" is about foo. */
function subjectOf(text: string): string {
  const quoted = quotedIn(text)[0];
  if (quoted) return quoted;
  const path = findPath(text);
  if (path) return path;
  const words = keywords(text).filter(
    (word) => !/^(defin|locat|implement|declar|stor|call)(e|es|ed|ing)?$/i.test(word),
  );
  const symbol = words.find((word) => /[a-z][A-Z]|_|\d|^[A-Z]/.test(word));
  if (symbol) return symbol;
  const inOrder = words.filter(
    (word) => !/^(function|class|type|interface|method|constant|variable|test|tests)$/i.test(word),
  );
  return (inOrder.length > 0 ? inOrder : words).sort((a, b) => text.indexOf(a) - text.indexOf(b)).join(" ");
}
