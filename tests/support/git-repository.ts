import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Arguments before a command of git in a fixture: a commit starts a second process otherwise, which looks for old objects. */
export const WITHOUT_UPKEEP = ["-c", "maintenance.auto=false"] as const;

/** What `git init` makes, without its samples. Git itself would take longer than all else of a place. */
export function makeRepository(folder: string): void {
  const at = (name: string) => join(folder, ".git", name);
  for (const name of ["hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"])
    mkdirSync(at(name), { recursive: true });
  writeFileSync(at("HEAD"), "ref: refs/heads/main\n");
  writeFileSync(at("config"), "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n");
}
