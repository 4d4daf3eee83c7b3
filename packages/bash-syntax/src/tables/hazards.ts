import type { HazardRow } from "../command-row.ts";

const DELETES = "deletes files: {operands}";
const PUBLISHES = "publishes a package";
const OVERWRITES_REMOTE = "overwrites remote history";
const REWRITES = "rewrites history";
const DISCARDS = "discards uncommitted changes";
const FORCE = ["-f", "--force", "--force-with-lease", "--force-if-includes"] as const;
const DESTROYS_SQL =
  /\b(?:drop\s+(?:table|database|schema|view|index|user|role|keyspace)|truncate\b|delete\s+from\s+\S+\s*(?:;|$|["']))/i;

const git = (sub: string, row: Omit<HazardRow, "name" | "sub">): HazardRow => ({
  name: "git",
  sub: sub.split(" "),
  ...row,
});

const publishes = (name: string, sub: string): HazardRow => ({
  name,
  sub: sub.split(" "),
  hazard: PUBLISHES,
  matches: [`${name} ${sub}`, `sudo ${name} ${sub} --x`],
  misses: [`${name} test`, `echo ${name} ${sub}`],
});

const sql = (name: string, flags: readonly string[] | undefined): HazardRow => ({
  name,
  ...(flags && { flags: [flags] }),
  operand: DESTROYS_SQL,
  hazard: "destroys data in a database",
  matches: [
    `${name} ${flags?.[0] ?? ""} 'DROP TABLE a'`,
    `${name} ${flags?.[0] ?? ""} 'delete from a;'`,
    `${name} ${flags?.[0] ?? ""} 'TRUNCATE a'`,
  ],
  misses: [`${name} ${flags?.[0] ?? ""} 'select 1'`, `${name} ${flags?.[0] ?? ""} 'delete from a where id = 1'`],
});

const always = (name: string, hazard: string, example = name, miss = `echo ${name}`): HazardRow => ({
  name,
  hazard,
  matches: [example],
  misses: [miss],
});

/** What can't be undone. */
export const HAZARD_ROWS: readonly HazardRow[] = [
  {
    name: "rm",
    flags: [["-r", "-R", "-f", "--recursive", "--force"]],
    hazard: DELETES,
    exceptTemporary: true,
    matches: [
      "rm -rf dist/",
      "rm -r $X",
      "rm --recursive a",
      "sudo rm -f a",
      "xargs rm -rf",
      "find . -name a -exec rm -rf {} +",
      "rm -rf /tmp",
      "rm -rf /tmp/../etc",
      "rm -rf /tmp/a b",
      "/bin/rm -rf a",
      "timeout 5 rm -rf a",
      "rm a -rf",
    ],
    misses: ["rm a", "rm -rf /tmp/a", "echo rm -rf a", "rm -- -rf", "rm -i a"],
  },
  {
    name: "find",
    flags: [["-delete"]],
    hazard: "deletes the files that it finds",
    matches: ["find . -name a -delete"],
    misses: ["find . -name a"],
  },
  {
    name: "rsync",
    flags: [["--delete", "--delete-before", "--delete-after", "--delete-excluded", "--remove-source-files"]],
    hazard: DELETES,
    matches: ["rsync -a --delete a b"],
    misses: ["rsync -a a b"],
  },
  git("reset", {
    flags: [["--hard", "--merge", "--keep"]],
    hazard: DISCARDS,
    matches: ["git reset --hard", "git -C x reset --hard HEAD~1", "git -c a=b reset --hard"],
    misses: ["git reset", "git reset --soft HEAD~1"],
  }),
  git("clean", {
    flags: [["-f", "--force"]],
    hazard: "deletes untracked files",
    matches: ["git clean -fd", "git clean -xdf", "git clean --force"],
    misses: ["git clean -n"],
  }),
  git("checkout", {
    flags: [["-f", "--force", "--ours", "--theirs", "-p", "--patch"]],
    hazard: DISCARDS,
    matches: ["git checkout -f", "git checkout --theirs a"],
    misses: ["git checkout main", "git checkout -b x"],
  }),
  git("checkout", {
    operand: /^(?:--|\.|:\/|.*\/.*\.\w+)$/,
    hazard: "overwrites changed files: {operands}",
    matches: ["git checkout -- a.ts", "git checkout .", "git checkout HEAD -- a", "git checkout HEAD src/a.ts"],
    misses: ["git checkout main", "git checkout feat/x"],
  }),
  git("switch", {
    flags: [["-f", "--force", "--discard-changes"]],
    hazard: DISCARDS,
    matches: ["git switch -f main", "git switch --discard-changes main"],
    misses: ["git switch main"],
  }),
  git("restore", {
    operand: /^(?!--staged$)(?!-S$)/,
    hazard: "overwrites changed files: {operands}",
    matches: ["git restore a.ts", "git restore .", "git restore --worktree --staged a"],
    misses: ["git status"],
  }),
  git("push", {
    flags: [[...FORCE]],
    hazard: OVERWRITES_REMOTE,
    matches: [
      "git push --force",
      "git push -f origin main",
      "git push --force-with-lease=main",
      "git push -uf origin x",
    ],
    misses: ["git push", "git push origin main", "git push --follow-tags"],
  }),
  git("push", {
    flags: [["--delete", "-d", "--mirror", "--prune"]],
    hazard: "deletes remote branches or tags",
    matches: ["git push origin --delete x", "git push --mirror"],
    misses: ["git push --tags"],
  }),
  git("push", {
    operand: /^\+./,
    hazard: OVERWRITES_REMOTE,
    matches: ["git push origin +main", "git push origin +a:b"],
    misses: ["git push origin a:b"],
  }),
  git("push", {
    operand: /^:./,
    hazard: "deletes remote branches or tags",
    matches: ["git push origin :x"],
    misses: ["git push origin x"],
  }),
  git("branch", {
    flags: [["-D", "--delete", "-d"]],
    hazard: "deletes branches: {operands}",
    matches: ["git branch -D x", "git branch --delete --force x", "git branch -d x"],
    misses: ["git branch -a"],
  }),
  git("branch", {
    flags: [["-f", "--force", "-M", "-C"]],
    hazard: "moves a branch off its commits",
    matches: ["git branch -f x HEAD~1", "git branch -M main"],
    misses: ["git branch -m x"],
  }),
  git("tag", {
    flags: [["-d", "--delete", "-f", "--force"]],
    hazard: "deletes or moves tags: {operands}",
    matches: ["git tag -d v1", "git tag -f v1"],
    misses: ["git tag v1"],
  }),
  git("stash drop", { hazard: "discards stashed changes", matches: ["git stash drop"], misses: ["git stash list"] }),
  git("stash clear", { hazard: "discards stashed changes", matches: ["git stash clear"], misses: ["git stash"] }),
  git("filter-branch", { hazard: REWRITES, matches: ["git filter-branch --all"], misses: ["git log"] }),
  git("filter-repo", { hazard: REWRITES, matches: ["git filter-repo --path a"], misses: ["git log"] }),
  git("rebase", {
    hazard: REWRITES,
    matches: ["git rebase main", "git rebase -i HEAD~2"],
    misses: ["git merge main", "git pull"],
  }),
  git("pull", {
    flags: [["--rebase", "-r", "-f", "--force"]],
    hazard: REWRITES,
    matches: ["git pull --rebase"],
    misses: ["git pull"],
  }),
  git("commit", {
    flags: [["--amend"]],
    hazard: REWRITES,
    matches: ["git commit --amend --no-edit"],
    misses: ["git commit -m x"],
  }),
  git("update-ref", {
    flags: [["-d", "--stdin"]],
    hazard: "deletes references",
    matches: ["git update-ref -d refs/heads/x"],
    misses: ["git update-ref refs/heads/x abc"],
  }),
  git("reflog expire", {
    hazard: "deletes the record of old commits",
    matches: ["git reflog expire --expire=now --all"],
    misses: ["git reflog"],
  }),
  git("reflog delete", {
    hazard: "deletes the record of old commits",
    matches: ["git reflog delete HEAD@{1}"],
    misses: ["git reflog show"],
  }),
  git("gc", {
    flags: [["--prune"]],
    hazard: "deletes unreachable commits",
    matches: ["git gc --prune=now"],
    misses: ["git gc"],
  }),
  git("prune", { hazard: "deletes unreachable commits", matches: ["git prune"], misses: ["git remote"] }),
  git("worktree remove", {
    flags: [["-f", "--force"]],
    hazard: DISCARDS,
    matches: ["git worktree remove --force x"],
    misses: ["git worktree remove x"],
  }),
  git("rm", {
    flags: [["-f", "--force", "-r"]],
    hazard: DELETES,
    matches: ["git rm -rf a"],
    misses: ["git rm --cached a"],
  }),
  { ...always("truncate", "empties or cuts files: {operands}", "truncate -s 0 a") },
  {
    name: "dd",
    operand: /^of=(?!\/dev\/null$)/,
    hazard: "overwrites: {operands}",
    matches: ["dd if=a of=/dev/sda"],
    misses: ["dd if=a", "dd if=a of=/dev/null"],
  },
  ...["mkfs", "mkfs.ext4", "mkfs.xfs", "mkfs.vfat", "mkfs.btrfs", "mkswap"].map((name) =>
    always(name, "formats a disk", `sudo ${name} /dev/sda1`),
  ),
  always("shred", "destroys files: {operands}", "shred -u a"),
  always("wipefs", "destroys file systems: {operands}", "wipefs -a /dev/sda"),
  always("fdisk", "changes a disk's partitions", "fdisk /dev/sda"),
  always("parted", "changes a disk's partitions", "parted /dev/sda"),
  ...["chmod", "chown", "chgrp"].map(
    (name): HazardRow => ({
      name,
      flags: [["-R", "--recursive"]],
      hazard: "changes the rights of a whole tree: {operands}",
      matches: [`${name} -R x dir`, `sudo ${name} --recursive x dir`],
      misses: [`${name} x a`],
    }),
  ),
  {
    name: "kill",
    operand: /^-1$/,
    hazard: "ends every process",
    matches: ["kill -9 -1", "kill -- -1"],
    misses: ["kill -9 123", "kill %1"],
  },
  always("killall", "ends processes by name: {operands}", "killall node"),
  always("pkill", "ends processes by name: {operands}", "pkill -f node"),
  always("shutdown", "stops the machine", "shutdown now"),
  always("reboot", "stops the machine", "sudo reboot"),
  always("poweroff", "stops the machine"),
  always("halt", "stops the machine"),
  always("dropdb", "destroys data in a database", "dropdb x"),
  sql("psql", ["-c", "--command"]),
  sql("mysql", ["-e", "--execute"]),
  sql("mariadb", ["-e", "--execute"]),
  sql("sqlite3", undefined),
  ...["npm", "pnpm", "yarn", "bun", "cargo", "poetry", "flit", "hatch", "uv", "deno", "vsce", "lerna"].map((name) =>
    publishes(name, "publish"),
  ),
  publishes("yarn", "npm publish"),
  publishes("twine", "upload"),
  publishes("gem", "push"),
  publishes("helm", "push"),
  publishes("docker", "push"),
  publishes("gh", "release create"),
  {
    name: "npm",
    sub: ["unpublish"],
    hazard: "withdraws a published package",
    matches: ["npm unpublish x"],
    misses: ["npm uninstall x"],
  },
  {
    name: "docker",
    sub: ["system", "prune"],
    hazard: "deletes containers, images and caches",
    matches: ["docker system prune -af"],
    misses: ["docker system df"],
  },
  ...["volume rm", "volume prune"].map(
    (sub): HazardRow => ({
      name: "docker",
      sub: sub.split(" "),
      hazard: "deletes volumes with their data",
      matches: [`docker ${sub} x`],
      misses: ["docker volume ls"],
    }),
  ),
  {
    name: "docker",
    sub: ["compose", "down"],
    flags: [["-v", "--volumes"]],
    hazard: "deletes volumes with their data",
    matches: ["docker compose down -v"],
    misses: ["docker compose down"],
  },
  {
    name: "terraform",
    sub: ["destroy"],
    hazard: "destroys infrastructure",
    matches: ["terraform destroy -auto-approve"],
    misses: ["terraform plan"],
  },
  {
    name: "tofu",
    sub: ["destroy"],
    hazard: "destroys infrastructure",
    matches: ["tofu destroy"],
    misses: ["tofu plan"],
  },
  {
    name: "kubectl",
    sub: ["delete"],
    hazard: "deletes cluster resources: {operands}",
    matches: ["kubectl delete pod x"],
    misses: ["kubectl get pods"],
  },
  {
    name: "helm",
    sub: ["uninstall"],
    hazard: "deletes cluster resources: {operands}",
    matches: ["helm uninstall x"],
    misses: ["helm list"],
  },
  {
    name: "gh",
    sub: ["repo", "delete"],
    hazard: "deletes a repository",
    matches: ["gh repo delete x"],
    misses: ["gh repo view x"],
  },
  {
    name: "crontab",
    flags: [["-r"]],
    hazard: "deletes all scheduled jobs",
    matches: ["crontab -r"],
    misses: ["crontab -l"],
  },
  {
    name: "history",
    flags: [["-c", "-d"]],
    hazard: "deletes the shell's history",
    matches: ["history -c"],
    misses: ["history 10"],
  },
];
