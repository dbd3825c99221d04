import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];
afterAll(() => {
  for (const root of made.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A folder of its own for one test, with the files given; gone when the test file is done. */
export function makeFolder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skein-cli-")));
  made.push(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** Makes it a git repository with one commit. */
export function commitAll(root: string, message: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
      cwd: root,
      stdio: "ignore",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", message);
}

/** A small project, enough for every kind of question. */
export const PROJECT: Readonly<Record<string, string>> = {
  "README.md":
    "# Kettle\n\nKettle boils water for the whole office. It keeps a schedule of who wants tea.\n\n## Safety\n\nThe boiler stops at ninety five degrees. Never open the lid while it is on.\n\n## Schedule\n\nEvery morning the schedule starts at eight. The schedule is kept in a list.\n",
  "package.json": '{"name": "kettle", "version": "1.0.0", "scripts": {"test": "true"}}\n',
  "src/boiler.ts":
    "/** Heats the water until the thermostat says stop. */\nexport class Boiler {\n  heat(): void {}\n}\n\nexport const MAX_DEGREES = 95;\n",
  "src/schedule.ts":
    'import { Boiler } from "./boiler.ts";\n\nexport interface Entry {\n  readonly who: string;\n}\n\nexport function plan(entries: Entry[]): Boiler {\n  void entries;\n  return new Boiler();\n}\n',
  "docs/guide.md":
    "# Guide\n\n## Descaling\n\nDescale the kettle with vinegar once a month. Rinse it twice afterwards.\n",
};
