import { HumanMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { at, checkpoint } from "./support/puts.ts";

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** Blocks of files, as LangChain and providers have them. */
const BLOCKS: Readonly<Record<string, (data: string) => object>> = {
  "LangChain's, of version 0": (data) => ({ type: "file", source_type: "base64", mime_type: DOCX, data }),
  "LangChain's, of version 1": (data) => ({ type: "file", mimeType: DOCX, data }),
  "Anthropic's": (data) => ({ type: "document", source: { type: "base64", media_type: DOCX, data } }),
  "Google's": (data) => ({ type: "media", mimeType: DOCX, data }),
  "Google's, inline": (data) => ({ type: "inlineData", inlineData: { mimeType: DOCX, data } }),
  "Google's, by address": (data) => ({ type: "fileData", fileData: { mimeType: DOCX, fileUri: data } }),
};

const said = (id: string, ...content: object[]) => new HumanMessage({ id, content: content as never });

describe.each(ALL_SAVERS)("eraseMessage of $name takes no media type for a quote", (kind) => {
  let saver: Saver;
  let close: () => Promise<void>;
  beforeEach(() => ({ saver, close } = kind.open()));
  afterEach(() => close());

  const erasedIn = async (values: Record<string, unknown>, options = {}) => {
    const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, 1]));
    await saver.put(at(), checkpoint("1", values), { source: "update", step: 0, parents: {} }, versions);
    await saver.eraseMessage(at(), "m", options);
    return (await saver.getTuple(at()))?.checkpoint.channel_values;
  };

  it.each(Object.entries(BLOCKS))("blocks of files that are %s", async (_, block) => {
    const other = [{ type: "text", text: "see it" }, block("BBBB")];
    const values = { messages: [said("m", block("AAAA")), said("n", ...other)], note: `It is ${DOCX}.` };
    const messages = [
      { id: "m", content: "[erased]" },
      { id: "n", content: other },
    ];
    expect(await erasedIn(values)).toMatchObject({ messages, note: values.note });
  });

  it.each(Object.entries(BLOCKS))("nor one that the message says in a text: %s", async (_, block) => {
    const text = { type: "text", text: `Send me ${DOCX}` };
    const messages = [said("m", text), said("n", block("BBBB"))];
    const left = [{ content: "[erased]" }, { content: [block("BBBB")] }];
    expect(await erasedIn({ messages }, { texts: ["base64"] })).toMatchObject({ messages: left });
  });

  it("and still what a file holds, and any other field of the state with such a name", async () => {
    const secret = "QWRhIGxpdmVzIGluIDEyIFdvb2wgU3RyZWV0LCBLbml0dGluZ2hhbQ==";
    for (const block of Object.values(BLOCKS)) {
      const values = {
        messages: [said("m", block(secret)), said("n", block(`${secret}BBBB`))],
        row: { mime_type: secret, source: { media_type: secret } },
      };
      const messages = [{ content: "[erased]" }, { content: [block("[erased]BBBB")] }];
      const row = { mime_type: "[erased]", source: { media_type: "[erased]" } };
      expect(await erasedIn(values)).toMatchObject({ messages, row });
      await saver.deleteThread("t");
    }
  });
});
