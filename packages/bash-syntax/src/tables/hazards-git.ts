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
  }),
  history("reset", {
    operand: /^(?:.*(?:[~^]|@\{).*|(?!-)[0-9a-f]{7,40}|(?:origin|upstream|refs)\/.+|ORIG_HEAD|FETCH_HEAD)$/,
    hazard: "moves the branch off its commits",
  }),
  deletes("clean", {
    target: "untracked",
    notFlags: ["-n", "--dry-run"],
    valueFlags: ["-e", "--exclude"],
    paths: "folder",
    hazard: "deletes untracked files in {paths}",
  }),
  discards("checkout", {
    flags: [["-f", "--force", "--ours", "--theirs", "-p", "--patch", "-m", "--merge"]],
    hazard: DISCARDS,
  }),
  discards("checkout", {
    operand: /^(?:--|\.{1,2}|:\/.*|:\(.*|--pathspec-from-file.*|.*\/|(?!-).*\.[A-Za-z]\w{0,5}|.*[*?].*)$/,
    notFlags: ["-b", "-B", "--orphan", "-t", "--track"],
    paths: "after-dashes",
    hazard: "overwrites changed files: {paths}",
  }),
  discards("checkout", {
    minOperands: 2,
    notFlags: ["-b", "-B", "--orphan", "-t", "--track"],
    paths: "after-dashes",
    hazard: "overwrites changed files: {paths}",
  }),
  discards("checkout", {
    minOperands: 1,
    notFlags: ["-b", "-B", "--orphan", "-t", "--track"],
    paths: "after-dashes",
    ifThere: true,
    hazard: "overwrites changed files: {paths}",
  }),
  refs("checkout", {
    flags: [["-B"]],
    hazard: "moves a branch off its commits",
  }),
  discards("switch", {
    flags: [["-f", "--force", "--discard-changes", "-m", "--merge"]],
    hazard: DISCARDS,
  }),
  refs("switch", {
    flags: [["-C", "--force-create"]],
    hazard: "moves a branch off its commits",
  }),
  discards("restore", {
    notFlags: ["--staged", "-S"],
    valueFlags: ["-s", "--source", "--conflict"],
    paths: "operands",
    hazard: "overwrites changed files: {paths}",
  }),
  discards("restore", {
    flags: [["--worktree", "-W"]],
    valueFlags: ["-s", "--source", "--conflict"],
    paths: "operands",
    hazard: "overwrites changed files: {paths}",
  }),
  ...["merge", "rebase", "cherry-pick", "revert", "am"].map((sub) =>
    discards(sub, {
      flags: [["--abort"]],
      hazard: "gives up what was resolved so far",
    }),
  ),
  discards("read-tree", {
    flags: [["-u", "--reset"]],
    hazard: DISCARDS,
  }),
  discards("checkout-index", {
    flags: [["-f", "--force"]],
    hazard: DISCARDS,
  }),
  discards("worktree remove", {
    target: "other-work-tree",
    flags: [["-f", "--force"]],
    paths: "operands",
    hazard: "deletes a work tree with its changes: {paths}",
  }),
  deletes("submodule deinit", {
    paths: "operands",
    inSubmodules: true,
    hazard: "deletes work trees of submodules: {paths}",
  }),
  discards("submodule update", {
    flags: [["-f", "--force"]],
    inSubmodules: true,
    hazard: DISCARDS,
  }),
  overwrites("mv", {
    flags: [["-f", "--force"]],
    notFlags: ["-n", "--dry-run"],
    paths: "writes",
    hazard: "overwrites {target}",
  }),
  unforeseen("apply", {
    notFlags: ["--check", "--stat", "--numstat", "--summary", "--cached"],
    hazard: PATCHES,
  }),
  deletes("rm", {
    flags: [["-f", "--force", "-r"]],
    notFlags: ["--cached", "-n", "--dry-run"],
    paths: "operands",
    hazard: "deletes files: {paths}",
  }),
  remote("push", {
    flags: [["-f", "--force", "--force-with-lease", "--force-if-includes"]],
    notFlags: ["--dry-run", "-n"],
    hazard: REMOTE,
  }),
  remote("push", {
    flags: [["--delete", "-d", "--mirror", "--prune"]],
    notFlags: ["--dry-run", "-n"],
    hazard: REMOTE_DELETE,
  }),
  remote("push", {
    operand: /^\+./,
    hazard: REMOTE,
  }),
  remote("push", {
    operand: /^:./,
    hazard: REMOTE_DELETE,
  }),
  refs("branch", {
    flags: [["-D"]],
    hazard: "deletes branches: {operands}",
  }),
  refs("branch", {
    flags: [
      ["-d", "--delete"],
      ["-f", "--force"],
    ],
    hazard: "deletes branches: {operands}",
  }),
  refs("branch", {
    flags: [["-f", "--force", "-M", "-C"]],
    hazard: "moves a branch off its commits",
  }),
  refs("tag", {
    flags: [["-d", "--delete", "-f", "--force"]],
    hazard: "deletes or moves tags: {operands}",
  }),
  ...["drop", "clear", "pop"].map((sub) => refs(`stash ${sub}`, { hazard: STASHED })),
  refs("update-ref", {
    hazard: "moves or deletes references: {operands}",
  }),
  refs("symbolic-ref", {
    minOperands: 2,
    hazard: "moves a reference: {operands}",
  }),
  refs("fetch", {
    operand: /^\+?[^+-][^:]*:(?!.*:\/\/)(?!\/\/)(?!refs\/remotes\/).+$/,
    flags: [["-f", "--force", "-u", "--update-head-ok"]],
    hazard: "moves a branch off its commits",
  }),
  refs("fetch", {
    operand: /^\+[^:]*:(?!refs\/remotes\/).+$/,
    hazard: "moves a branch off its commits",
  }),
  history("filter-branch", { hazard: REWRITES }),
  history("filter-repo", { hazard: REWRITES }),
  history("replace", {
    minOperands: 1,
    hazard: REWRITES,
  }),
  history("rebase", {
    notFlags: ["--continue", "--edit-todo", "--show-current-patch", "--quit", "--abort", "--skip"],
    hazard: REWRITES,
  }),
  history("rebase", {
    flags: [["--skip"]],
    hazard: "drops a commit",
  }),
  history("pull", {
    flags: [["--rebase", "-r", "-f", "--force"]],
    notFlags: ["--no-rebase"],
    hazard: REWRITES,
  }),
  history("commit", {
    flags: [["--amend"]],
    hazard: REWRITES,
  }),
  ...["expire", "delete", "drop"].map((sub) =>
    history(`reflog ${sub}`, {
      notFlags: ["-n", "--dry-run"],
      hazard: "deletes the record of old commits",
    }),
  ),
  history("gc", {
    flags: [["--prune"]],
    hazard: "deletes unreachable commits",
  }),
  history("prune", {
    notFlags: ["-n", "--dry-run"],
    hazard: "deletes unreachable commits",
  }),
];
