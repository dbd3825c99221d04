import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { tool } from "@langchain/core/tools";
import { createAgent } from "@skein/agent";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { call, saying, says } from "./replies.ts";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const stop of stops.splice(0)) await stop();
});

/** What stands for LangSmith: it keeps what it is sent. */
async function startLangSmith() {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    const keep = async (): Promise<void> => {
      const body = await buffer(request);
      const zipped = request.headers["content-encoding"] === "gzip";
      sent.push((zipped ? gunzipSync(body) : body).toString());
      response.writeHead(request.url?.endsWith("/info") === true ? 200 : 202).end("{}");
    };
    void keep();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, text: () => sent.join("\n") };
}

const look = tool(() => "looked", { name: "look", description: "Looks", schema: z.object({}) });
const agentOf = () => createAgent({ model: saying([call("look")], "done"), tools: [look], name: "watched" });

describe("LangSmith, switched on by its variables alone", () => {
  it("gets the runs of an agent, its nodes, its model and its tool", async () => {
    const langSmith = await startLangSmith();
    vi.stubEnv("LANGSMITH_TRACING", "true");
    vi.stubEnv("LANGSMITH_API_KEY", "none");
    vi.stubEnv("LANGSMITH_ENDPOINT", langSmith.url);
    await agentOf().invoke(says("go"));
    for (const name of ["watched", "model_request", "tools", "look", "Replies"]) {
      await expect.poll(langSmith.text, { timeout: 10_000 }).toContain(`"name":"${name}"`);
    }
  });

  it("gets nothing when it is off", async () => {
    const langSmith = await startLangSmith();
    vi.stubEnv("LANGSMITH_API_KEY", "none");
    vi.stubEnv("LANGSMITH_ENDPOINT", langSmith.url);
    await agentOf().invoke(says("go"));
    expect(langSmith.text()).toBe("");
  });
});
