import { readCommits } from "../results.ts";
import { answer, call, failures, gitLog, plural, results, type Planner } from "./move.ts";

/** The last commits and the files that they touched most. */
export const changed: Planner<{ readonly path: string | undefined }> = ({ path }, conversation) => {
  const [log] = results(conversation, "git_log");
  if (!log) {
    const failure = failures(conversation)[0];
    if (failure) return answer(`I could not read the log: ${failure.result}`);
    return call(gitLog({ limit: 10, ...(path ? { path } : {}) }));
  }
  const commits = readCommits(log.result);
  if (commits.length === 0) return answer(log.result);
  const touched = new Map<string, number>();
  for (const file of commits.flatMap((commit) => commit.files))
    touched.set(file, (touched.get(file) ?? 0) + 1);
  const most = [...touched].sort((a, b) => b[1] - a[1]).slice(0, 5);
  const lines = commits.map(
    (commit) =>
      `- ${commit.date} ${commit.hash} ${commit.subject} (${commit.author}, ${plural(commit.files.length, "file")})`,
  );
  return answer(
    [
      `The last ${plural(commits.length, "commit")}${path ? ` that touched ${path}` : ""}:`,
      ...lines,
      ...(most.length > 0
        ? [`Touched most: ${most.map(([file, count]) => `${file} (${count})`).join(", ")}`]
        : []),
    ].join("\n"),
  );
};
