import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { displayPath, locate, type Folder } from "./folder.ts";

const run = promisify(execFile);

/** `git_log`: `HASH DATE AUTHOR: SUBJECT`, the files of a commit indented below it. */
export function gitLog(folder: Folder) {
  return tool(
    async ({ path, limit }, config) => {
      const target = displayPath(folder, await locate(folder, path));
      const args = [
        "--no-pager",
        "-c",
        "core.quotePath=false",
        "log",
        `--max-count=${limit}`,
        "--date=short",
      ];
      args.push("--no-color", "--no-ext-diff", "--no-textconv", "--name-status", "--format=%h %ad %an: %s");
      args.push("--end-of-options", "HEAD", "--", target);
      try {
        const { stdout } = await run("git", args, {
          cwd: folder.root,
          env: { ...process.env, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" },
          maxBuffer: 16 * 1024 * 1024,
          timeout: 20_000,
          ...(config?.signal ? { signal: config.signal } : {}),
        });
        return layOut(stdout) || `git has no commit that touches ${target}`;
      } catch (error) {
        config?.signal?.throwIfAborted();
        return whyNot(error);
      }
    },
    {
      name: "git_log",
      description:
        "Shows the last commits of the folder, or of one of its files, and the files that they changed.",
      schema: z.object({
        path: z.string().default(".").describe("file or subfolder, relative to the folder"),
        limit: z.number().int().min(1).max(100).default(10).describe("most commits to show"),
      }),
    },
  );
}

/** Tabs and blank lines of `--name-status` become an indented list of at most 12 files a commit. */
function layOut(stdout: string): string {
  const lines: string[] = [];
  let files = 0;
  for (const line of stdout.split("\n").filter(Boolean)) {
    const file = /^([A-Z])\d*\t(.+)$/.exec(line);
    if (!file) {
      files = 0;
      lines.push(line);
    } else if ((files += 1) <= 12) {
      lines.push(`  ${file[1]} ${file[2]?.replace("\t", " -> ")}`);
    } else if (files === 13) {
      lines.push("  ...");
    }
  }
  return lines.join("\n");
}

/** No git, or no repository, is an answer and not a failure. */
function whyNot(error: unknown): string {
  const { code, stderr = "", message } = error as { code?: unknown; stderr?: string; message: string };
  if (code === "ENOENT") return "git is not installed on this machine, so there is no log to show.";
  if (/not a git repository/i.test(stderr))
    return "This folder is not in a git repository, so there is no log to show.";
  if (/bad revision|unknown revision|does not have any commits/i.test(stderr)) {
    return "This git repository has no commits yet.";
  }
  return `git could not show the log: ${stderr.trim().split("\n")[0] || message}`;
}
