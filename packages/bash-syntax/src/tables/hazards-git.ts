import type { HazardRow } from "../command-row.ts";
import type { HazardKind } from "../types.ts";

const REMOTE = "overwrites remote history";
const REMOTE_DELETE = "deletes remote branches or tags";
const REWRITES = "rewrites history";
const DISCARDS = "discards uncommitted changes";
const PATCHES = "changes the files that a patch names";
const STASHED = "discards stashed changes";

type GitRow = Omit<HazardRow, "name" | "sub" | "kind">;

const git =
  (kind: HazardKind) =>
  (sub: string, row: GitRow): HazardRow => ({ name: "git", sub: sub.split(" "), kind, ...row });

const deletes = git("deletes");
const discards = git("discards");
const overwrites = git("overwrites");
const unforeseen = git("unforeseen");
const history = git("history");
const refs = git("refs");
const remote = git("remote-history");

/** Git commands that lose work, or the references to it. */
export const GIT_HAZARDS: readonly HazardRow[] = [
  discards("reset", {
    flags: [["--hard", "--merge", "--keep"]],
    hazard: DISCARDS,
    matches: ["git reset --hard", "git -C x reset --hard HEAD~1", "git -c a=b reset --hard", "git reset --har"],
    misses: ["git reset", "git reset --soft HEAD~1", "git reset a.ts"],
  }),
  history("reset", {
    operand: /^(?:.*(?:[~^]|@\{).*|(?!-)[0-9a-f]{7,40}|(?:origin|upstream|refs)\/.+|ORIG_HEAD|FETCH_HEAD)$/,
    hazard: "moves the branch off its commits",
    matches: ["git reset HEAD~1", "git reset --soft HEAD^", "git reset --hard origin/main", "git reset 1a2b3c4"],
    misses: ["git reset", "git reset HEAD a.ts", "git reset --hard"],
  }),
  deletes("clean", {
    notFlags: ["-n", "--dry-run"],
    valueFlags: ["-e", "--exclude"],
    paths: "folder",
    hazard: "deletes untracked files in {paths}",
    matches: ["git clean -fd", "git clean -xdf", "git clean --force src", "git clean", "git clean -fX"],
    misses: ["git clean -n", "git clean -fdn", "git clean --dry-run -f"],
  }),
  discards("checkout", {
    flags: [["-f", "--force", "--ours", "--theirs", "-p", "--patch", "-m", "--merge"]],
    hazard: DISCARDS,
    matches: ["git checkout -f", "git checkout --theirs a", "git checkout -f main"],
    misses: ["git checkout main", "git checkout -b x"],
  }),
  discards("checkout", {
    operand: /^(?:--|\.{1,2}|:\/.*|:\(.*|--pathspec-from-file.*|.*\/|(?!-).*\.[A-Za-z]\w{0,5}|.*[*?].*)$/,
    notFlags: ["-b", "-B", "--orphan", "-t", "--track"],
    paths: "after-dashes",
    hazard: "overwrites changed files: {paths}",
    matches: [
      "git checkout -- a.ts",
      "git checkout .",
      "git checkout HEAD -- a",
      "git checkout HEAD src/a.ts",
      "git checkout a.ts",
      "git checkout '*.ts'",
    ],
    misses: ["git checkout -b x.y", "git checkout"],
  }),
  discards("checkout", {
    minOperands: 2,
    notFlags: ["-b", "-B", "--orphan", "-t", "--track"],
    paths: "after-dashes",
    hazard: "overwrites changed files: {paths}",
    matches: ["git checkout HEAD Makefile", "git checkout main src"],
    misses: ["git checkout", "git checkout -b x origin/main"],
  }),
  discards("checkout", {
    minOperands: 1,
    notFlags: ["-b", "-B", "--orphan", "-t", "--track"],
    paths: "after-dashes",
    ifThere: true,
    hazard: "overwrites changed files: {paths}",
    matches: ["git checkout Makefile", "git checkout src/a", "git checkout main"],
    misses: ["git checkout", "git checkout -b x", "git checkout --orphan x"],
  }),
  refs("checkout", {
    flags: [["-B"]],
    hazard: "moves a branch off its commits",
    matches: ["git checkout -B main origin/main"],
    misses: ["git checkout -b main"],
  }),
  discards("switch", {
    flags: [["-f", "--force", "--discard-changes", "-m", "--merge"]],
    hazard: DISCARDS,
    matches: ["git switch -f main", "git switch --discard-changes main"],
    misses: ["git switch main", "git switch -c x"],
  }),
  refs("switch", {
    flags: [["-C", "--force-create"]],
    hazard: "moves a branch off its commits",
    matches: ["git switch -C main"],
    misses: ["git switch -c main"],
  }),
  discards("restore", {
    notFlags: ["--staged", "-S"],
    valueFlags: ["-s", "--source", "--conflict"],
    paths: "operands",
    hazard: "overwrites changed files: {paths}",
    matches: ["git restore a.ts", "git restore .", "git restore -s HEAD~1 a"],
    misses: ["git restore --staged a.ts", "git status"],
  }),
  discards("restore", {
    flags: [["--worktree", "-W"]],
    valueFlags: ["-s", "--source", "--conflict"],
    paths: "operands",
    hazard: "overwrites changed files: {paths}",
    matches: ["git restore --worktree --staged a", "git restore -SW a"],
    misses: ["git restore -S a"],
  }),
  ...["merge", "rebase", "cherry-pick", "revert", "am"].map((sub) =>
    discards(sub, {
      flags: [["--abort"]],
      hazard: "gives up what was resolved so far",
      matches: [`git ${sub} --abort`],
      misses: [`git ${sub} --continue`, "git merge main"],
    }),
  ),
  discards("read-tree", {
    flags: [["-u", "--reset"]],
    hazard: DISCARDS,
    matches: ["git read-tree -u --reset HEAD"],
    misses: ["git read-tree HEAD"],
  }),
  discards("checkout-index", {
    flags: [["-f", "--force"]],
    hazard: DISCARDS,
    matches: ["git checkout-index -fa"],
    misses: ["git checkout-index -a"],
  }),
  discards("worktree remove", {
    flags: [["-f", "--force"]],
    paths: "operands",
    hazard: "deletes a work tree with its changes: {paths}",
    matches: ["git worktree remove --force x"],
    misses: ["git worktree remove x"],
  }),
  deletes("submodule deinit", {
    paths: "operands",
    inSubmodules: true,
    hazard: "deletes work trees of submodules: {paths}",
    matches: ["git submodule deinit -f x", "git submodule deinit --all", "git submodule deinit x"],
    misses: ["git submodule status"],
  }),
  discards("submodule update", {
    flags: [["-f", "--force"]],
    inSubmodules: true,
    hazard: DISCARDS,
    matches: ["git submodule update --init -f", "git submodule update --force --recursive"],
    misses: ["git submodule update --init"],
  }),
  overwrites("mv", {
    flags: [["-f", "--force"]],
    notFlags: ["-n", "--dry-run"],
    paths: "writes",
    hazard: "overwrites {target}",
    matches: ["git mv -f a b", "git -C x mv --force a b"],
    misses: ["git mv a b"],
  }),
  unforeseen("apply", {
    notFlags: ["--check", "--stat", "--numstat", "--summary", "--cached"],
    hazard: PATCHES,
    matches: ["git apply x.patch", "git apply -R --index x.patch"],
    misses: ["git apply --check x.patch", "git apply --cached x"],
  }),
  deletes("rm", {
    flags: [["-f", "--force", "-r"]],
    notFlags: ["--cached", "-n", "--dry-run"],
    paths: "operands",
    hazard: "deletes files: {paths}",
    matches: ["git rm -rf a", "git rm -r dir"],
    misses: ["git rm --cached a", "git rm -r --cached a", "git rm a"],
  }),
  remote("push", {
    flags: [["-f", "--force", "--force-with-lease", "--force-if-includes"]],
    notFlags: ["--dry-run", "-n"],
    hazard: REMOTE,
    matches: [
      "git push --force",
      "git push -f origin main",
      "git push --force-with-lease=main",
      "git push -uf origin x",
      "git push --forc",
    ],
    misses: ["git push", "git push origin main", "git push --follow-tags", "git push --force --dry-run"],
  }),
  remote("push", {
    flags: [["--delete", "-d", "--mirror", "--prune"]],
    notFlags: ["--dry-run", "-n"],
    hazard: REMOTE_DELETE,
    matches: ["git push origin --delete x", "git push --mirror"],
    misses: ["git push --tags"],
  }),
  remote("push", {
    operand: /^\+./,
    hazard: REMOTE,
    matches: ["git push origin +main", "git push origin +a:b"],
    misses: ["git push origin a:b"],
  }),
  remote("push", {
    operand: /^:./,
    hazard: REMOTE_DELETE,
    matches: ["git push origin :x"],
    misses: ["git push origin x"],
  }),
  refs("branch", {
    flags: [["-D"]],
    hazard: "deletes branches: {operands}",
    matches: ["git branch -D x", "git branch -Dr origin/x"],
    misses: ["git branch -a", "git branch -d x"],
  }),
  refs("branch", {
    flags: [
      ["-d", "--delete"],
      ["-f", "--force"],
    ],
    hazard: "deletes branches: {operands}",
    matches: ["git branch --delete --force x", "git branch -df x"],
    misses: ["git branch -d x"],
  }),
  refs("branch", {
    flags: [["-f", "--force", "-M", "-C"]],
    hazard: "moves a branch off its commits",
    matches: ["git branch -f x HEAD~1", "git branch -M main"],
    misses: ["git branch -m x"],
  }),
  refs("tag", {
    flags: [["-d", "--delete", "-f", "--force"]],
    hazard: "deletes or moves tags: {operands}",
    matches: ["git tag -d v1", "git tag -f v1"],
    misses: ["git tag v1"],
  }),
  ...["drop", "clear", "pop"].map((sub) =>
    refs(`stash ${sub}`, { hazard: STASHED, matches: [`git stash ${sub}`], misses: ["git stash list", "git stash"] }),
  ),
  refs("update-ref", {
    hazard: "moves or deletes references: {operands}",
    matches: ["git update-ref -d refs/heads/x", "git update-ref refs/heads/x abc", "git update-ref --stdin"],
    misses: ["git show-ref"],
  }),
  refs("symbolic-ref", {
    minOperands: 2,
    hazard: "moves a reference: {operands}",
    matches: ["git symbolic-ref HEAD refs/heads/x"],
    misses: ["git symbolic-ref HEAD"],
  }),
  refs("fetch", {
    operand: /^\+?[^+-][^:]*:(?!.*:\/\/)(?!\/\/)(?!refs\/remotes\/).+$/,
    flags: [["-f", "--force", "-u", "--update-head-ok"]],
    hazard: "moves a branch off its commits",
    matches: ["git fetch -f origin main:main"],
    misses: ["git fetch origin", "git fetch -f origin main", "git fetch origin main:main"],
  }),
  refs("fetch", {
    operand: /^\+[^:]*:(?!refs\/remotes\/).+$/,
    hazard: "moves a branch off its commits",
    matches: ["git fetch origin +main:main"],
    misses: ["git fetch origin +refs/heads/main:refs/remotes/origin/main"],
  }),
  history("filter-branch", { hazard: REWRITES, matches: ["git filter-branch --all"], misses: ["git log"] }),
  history("filter-repo", { hazard: REWRITES, matches: ["git filter-repo --path a"], misses: ["git log"] }),
  history("replace", {
    minOperands: 1,
    hazard: REWRITES,
    matches: ["git replace a b"],
    misses: ["git replace -l"],
  }),
  history("rebase", {
    notFlags: ["--continue", "--edit-todo", "--show-current-patch", "--quit", "--abort", "--skip"],
    hazard: REWRITES,
    matches: ["git rebase main", "git rebase -i HEAD~2"],
    misses: ["git merge main", "git rebase --continue"],
  }),
  history("rebase", {
    flags: [["--skip"]],
    hazard: "drops a commit",
    matches: ["git rebase --skip"],
    misses: ["git rebase main"],
  }),
  history("pull", {
    flags: [["--rebase", "-r", "-f", "--force"]],
    notFlags: ["--no-rebase"],
    hazard: REWRITES,
    matches: ["git pull --rebase", "git pull -r"],
    misses: ["git pull", "git pull --ff-only"],
  }),
  history("commit", {
    flags: [["--amend"]],
    hazard: REWRITES,
    matches: ["git commit --amend --no-edit", "git commit -a --amend"],
    misses: ["git commit -m x", "git commit -am --allow-empty"],
  }),
  ...["expire", "delete", "drop"].map((sub) =>
    history(`reflog ${sub}`, {
      notFlags: ["-n", "--dry-run"],
      hazard: "deletes the record of old commits",
      matches: [`git reflog ${sub} --all`],
      misses: ["git reflog", "git reflog show"],
    }),
  ),
  history("gc", {
    flags: [["--prune"]],
    hazard: "deletes unreachable commits",
    matches: ["git gc --prune=now", "git gc --prune"],
    misses: ["git gc", "git gc --no-prune"],
  }),
  history("prune", {
    notFlags: ["-n", "--dry-run"],
    hazard: "deletes unreachable commits",
    matches: ["git prune"],
    misses: ["git remote prune x", "git prune -n"],
  }),
];
