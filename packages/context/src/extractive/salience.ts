import { collapse, sentencesOf, shorten } from "./sentences.ts";

/**
 * Codes, amounts, dates, addresses: what a later turn can't guess. What is sought from the start of a run
 * of characters is not sought again from each of them: a tool's output may be a run of a million.
 */
const HARD_FACT =
  /https?:\/\/\S+|(?<![\w.+-])[\w.+-]+@[\w-]+\.\w+|[$€£¥]\s?\d[\d.,]*|\d[\d.,:/-]*\s?(?:%|元|美元|年|月|日|点|km|kg|GB|MB|ms)?|\b(?=\w*\d)(?=\w*[A-Za-z])\w{3,}\b|(?<![\w.-])(?:[\w.-]+\/)+[\w.-]+/gu;

const CUE =
  /\b(?:decid|agreed|confirm|cancel|book|refund|must|never|always|prefer|want|need|please|because|instead|error|fail|done|created|changed|deleted|updated|chose|will|name is|i am|i'm|my)|决定|确认|取消|预订|退款|必须|不要|总是|喜欢|希望|需要|请|因为|错误|失败|完成|修改|删除|创建|我叫|我是|选择/iu;

const GREETING =
  /^(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|sure|yes|no|great|you'?re welcome|good (?:morning|day|evening)|bye|你好|您好|谢谢|好的?|是的|嗯|再见|不客气)[\s,.!?，。！？]*$/iu;

/** The worth of a greeting or thanks. */
export const SMALL_TALK = -2;

/** How much a sentence is worth keeping. Depends on its text only, so it is the same at every folding. */
export function salience(sentence: string): number {
  if (GREETING.test(sentence)) return SMALL_TALK;
  const facts = Math.min(3, sentence.match(HARD_FACT)?.length ?? 0);
  const cue = CUE.test(sentence) ? 2 : 0;
  const question = /[?？]\s*$/u.test(sentence) ? 1 : 0;
  return facts * 1.5 + cue + question + (sentence.length < 8 ? -1 : 0);
}

/** The gist of a text in at most `most` characters: whole if it fits, else its best sentences in order. */
export function gistOf(text: string, most: number): string {
  const whole = collapse(text);
  if (whole.length <= most) return whole;
  const sentences = sentencesOf(text).map((sentence, index) => ({
    index,
    text: shorten(sentence, most),
    score: salience(sentence),
  }));
  const ranked = sentences.toSorted((a, b) => b.score - a.score || a.index - b.index);
  const chosen: typeof sentences = [];
  let length = 0;
  for (const sentence of ranked) {
    if (length + sentence.text.length + 1 > most) continue;
    chosen.push(sentence);
    length += sentence.text.length + 1;
  }
  if (chosen.length === 0) return shorten(whole, most);
  return chosen
    .toSorted((a, b) => a.index - b.index)
    .map((sentence) => sentence.text)
    .join(" ");
}
