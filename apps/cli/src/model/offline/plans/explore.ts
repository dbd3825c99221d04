import { summarise } from "../extract.ts";
import { readCommits, readListing, readPage, type Listing } from "../results.ts";
import { answer, call, gitLog, listFiles, plural, readFile, results, type Planner } from "./move.ts";

const KEY_FILES =
  /(^|\/)(readme(\.\w+)?|package\.json|pyproject\.toml|cargo\.toml|go\.mod|contributing\.md)$/i;

/** List and log first, then the files that explain the rest, then the largest subfolders. */
export const explore: Planner<{ readonly path: string }> = ({ path }, conversation) => {
  const [listed] = results(conversation, "list_files");
  switch (conversation.rounds.length) {
    case 0:
      return call(listFiles({ path, limit: 500 }), gitLog({ path, limit: 5 }));
    case 1: {
      if (!listed) return answer(conversation.rounds[0]?.[0]?.result ?? "I could not list the folder.");
      const { files } = readListing(listed.result);
      const keys = files
        .map((file) => file.path)
        .filter((file) => KEY_FILES.test(file))
        .sort((a, b) => depth(a) - depth(b) || (/readme/i.test(b) ? 1 : 0) - (/readme/i.test(a) ? 1 : 0))
        .slice(0, 3);
      if (keys.length > 0) return call(...keys.map((file) => readFile({ path: file, limit: 120 })));
      break;
    }
    case 2: {
      const folders = listed ? [...byFolder(readListing(listed.result), path)].slice(0, 2) : [];
      if (folders.length > 0)
        return call(...folders.map(([folder]) => listFiles({ path: folder, limit: 40 })));
    }
  }
  if (!listed) return answer("I could not list the folder.");
  return answer(account(path, readListing(listed.result), conversation));
};

function depth(path: string): number {
  return path.split("/").length;
}

/** Subfolders with the number of their files, largest first. */
function byFolder(listing: Listing, path: string): [string, number][] {
  const prefix = path === "." ? "" : `${path.replace(/\/+$/, "")}/`;
  const counts = new Map<string, number>();
  for (const { path: file } of listing.files) {
    const rest = file.startsWith(prefix) ? file.slice(prefix.length) : file;
    const folder = rest.includes("/") ? prefix + rest.slice(0, rest.indexOf("/")) : undefined;
    if (folder) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

function account(path: string, listing: Listing, conversation: Parameters<typeof explore>[1]): string {
  const kinds = new Map<string, number>();
  for (const file of listing.files) {
    const kind = /\.\w+$/.exec(file.path)?.[0] ?? "no extension";
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const text = [`${path === "." ? "This folder" : path} holds ${plural(listing.total, "file")}.`];
  const folders = byFolder(listing, path).slice(0, 8);
  if (folders.length > 0)
    text.push(`Folders: ${folders.map(([name, count]) => `${name} (${count})`).join(", ")}`);
  const common = [...kinds].sort((a, b) => b[1] - a[1]).slice(0, 6);
  if (common.length > 0)
    text.push(`Kinds: ${common.map(([kind, count]) => `${kind} (${count})`).join(", ")}`);
  for (const step of results(conversation, "list_files").slice(1)) {
    const names = readListing(step.result)
      .files.slice(0, 4)
      .map((file) => file.path);
    text.push(`In ${String(step.args["path"])}: ${names.join(", ")} ...`);
  }
  for (const step of results(conversation, "read_file")) {
    const page = readPage(step.result);
    if (page) text.push("", `${page.path}:`, summarise(page.path, page.lines, 3));
  }
  const log = results(conversation, "git_log")[0]?.result ?? "";
  const commits = readCommits(log);
  if (commits.length > 0) {
    text.push(
      "",
      "Last commits:",
      ...commits.slice(0, 3).map((commit) => `- ${commit.date} ${commit.subject}`),
    );
  }
  return text.join("\n");
}
