import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { WebResult } from "./entry.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/** The browser of SKEIN_CHROMIUM, or one on the path. @throws when there is none */
function findChromium(): string {
  const given = process.env["SKEIN_CHROMIUM"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const places =
    given === undefined ? folders.flatMap((folder) => NAMES.map((name) => join(folder, name))) : [given];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new Error(
    `No Chromium at ${given ?? NAMES.join(", ")}. Install one (apt-get install -y chromium), or name it in SKEIN_CHROMIUM.`,
  );
}

export interface BrowserRun {
  /** The browser's name for itself. */
  readonly agent: string;
  readonly results: readonly WebResult[];
}

const page = (synchronous: boolean): string => `<!doctype html>
<meta charset="utf-8">
<script src="/scenarios.js"></script>
<script>
  runScenarios([], ${synchronous})
    .then((results) => ({ results }), (error) => ({ failed: String(error?.stack ?? error) }))
    .then((answer) => fetch("/", { method: "POST", body: JSON.stringify({ agent: navigator.userAgent, ...answer }) }));
</script>
`;

/** Runs the bundled scenarios in a page of a headless Chromium. */
export async function runInChromium(script: string, synchronous: boolean): Promise<BrowserRun> {
  const browser = findChromium();
  const profile = mkdtempSync(join(tmpdir(), "skein-chromium-"));
  const pages = new EventEmitter();
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      void textOf(request).then((text) => pages.emit("answer", JSON.parse(text)));
      request.once("end", () => response.end());
    } else if (request.url === "/scenarios.js") {
      response.setHeader("content-type", "text/javascript; charset=utf-8").end(script);
    } else response.setHeader("content-type", "text/html").end(request.url === "/" ? page(synchronous) : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const child = spawn(browser, [...FLAGS, `--user-data-dir=${profile}`, url], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (text) => (complaints = `${complaints}${String(text)}`.slice(-2000)));
  const ended = once(child, "close");
  const tooEarly = ended.then(() => {
    throw new Error(`${browser} ended before its page was done: ${complaints}`);
  });
  try {
    const [answer] = (await Promise.race([once(pages, "answer"), tooEarly])) as [
      BrowserRun & { failed?: string },
    ];
    if (answer.failed !== undefined) throw new Error(answer.failed);
    return answer;
  } finally {
    child.kill();
    await tooEarly.catch(() => undefined);
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
