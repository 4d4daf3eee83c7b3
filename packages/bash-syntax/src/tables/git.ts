import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Not -O (orderfile), --output, --ext-diff, --textconv, --no-index, --show-signature (runs gpg). */
const DIFF =
  words(`-# -a -b -B? -C? -D -M? -R -S= -G= -U= -W -p -s -u -w -z --abbrev? --binary --brief --cached --check --color? --color-words?
  --cumulative --diff-algorithm= --diff-filter= --dirstat? --exit-code --find-copies? --find-copies-harder --find-renames? --full-index --function-context
  --histogram --ignore-all-space --ignore-blank-lines --ignore-space-at-eol --ignore-space-change --ignore-submodules? --inter-hunk-context= --merge-base
  --minimal --name-only --name-status --no-color --no-ext-diff --no-patch --no-prefix --no-renames --no-textconv --numstat --patch --patch-with-stat --patience
  --pickaxe-all --pickaxe-regex --quiet --raw --relative? --shortstat --staged --stat? --stat-count= --stat-width= --summary --text --unified= --word-diff?`);

const LOG =
  words(`-# -g -i -E -F -P -L= -n= --after= --all --all-match --author= --author-date-order --basic-regexp --before= --boundary --branches? --cc --cherry
  --cherry-mark --cherry-pick --committer= --count --date= --date-order --decorate? --decorate-refs= --dense --first-parent --follow --format= --full-history
  --graph --grep= --invert-grep --left-only --left-right --max-count= --max-parents= --merges --min-parents= --no-abbrev-commit --abbrev-commit --no-decorate
  --no-merges --no-notes --no-walk? --oneline --parents --perl-regexp --pretty? --regexp-ignore-case --relative-date --remotes? --reverse --right-only --since=
  --simplify-by-decoration --skip= --source --sparse --tags? --topo-order --until= --walk-reflogs -c -m`);

/** `%G…` and `%(signature)` ask gpg, and so does sorting by signature. */
const GPG = /%G/;
const REF_GPG = /(?:^-?|%\()\*?signature/;

/** Git commands that read; `git -C <folder>` and `git --no-pager` may stand before them, and nothing else. */
export const GIT_ROWS: readonly ReadOnlyRow[] = [
  {
    name: "git",
    sub: ["status"],
    flags: words(
      "-s -b -u? -v -z --short --branch --porcelain? --long --verbose --show-stash --ahead-behind --no-ahead-behind --untracked-files? --ignored? --renames --no-renames",
    ),
    operands: "revisions",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["log"],
    flags: [...DIFF, ...LOG],
    operands: "revisions",
    readsFolder: true,
    refusedValue: GPG,
  },
  {
    name: "git",
    sub: ["diff"],
    flags: DIFF,
    operands: "revisions",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["show"],
    flags: [...DIFF, ...LOG],
    operands: "revisions",
    readsFolder: true,
    refusedValue: GPG,
  },
  {
    name: "git",
    sub: ["branch"],
    flags: words(
      "-a -r -v -vv -l -i --all --remotes --verbose --list --show-current --contains= --no-contains= --points-at= --sort= --format= --color? --no-color --column? --abbrev? --ignore-case --merged? --no-merged?",
    ),
    operands: "text",
    operandsNeedFlag: ["-l", "--list", "--merged", "--no-merged"],
    refusedValue: REF_GPG,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["tag"],
    flags: words(
      "-l -n? -i --list --sort= --format= --contains= --no-contains= --points-at= --merged= --no-merged= --column? --color? --ignore-case",
    ),
    operands: "text",
    operandsNeedFlag: ["-l", "--list"],
    refusedValue: REF_GPG,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["remote"],
    flags: ["-v", "--verbose"],
    operands: "none",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["remote", "get-url"],
    flags: ["--all", "--push"],
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["rev-parse"],
    flags: words(
      "--verify --quiet -q --short? --abbrev-ref? --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-path= --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --all --branches? --tags? --remotes?",
    ),
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["ls-files"],
    flags: words(
      "-c -d -m -o -i -s -u -k -z -t -v --cached --deleted --modified --others --ignored --stage --unmerged --killed --full-name --exclude-standard --error-unmatch --directory -x= --exclude= --eol",
    ),
    operands: "revisions",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["ls-tree"],
    flags: words("-d -r -t -l -z --long --name-only --name-status --full-name --full-tree --abbrev?"),
    operands: "revisions",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["blame"],
    flags: words(
      "-# -b -c -C? -e -f -l -L= -M? -n -p -s -t -w --color-by-age --color-lines --date= --line-porcelain --porcelain --root --show-email --show-name --show-number --since= --abbrev=",
    ),
    operands: "revisions",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["describe"],
    flags: words(
      "--all --tags --always --long --exact-match --abbrev= --match= --exclude= --first-parent --candidates= --contains --dirty?",
    ),
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["shortlog"],
    flags: words("-s -n -e -c --summary --numbered --email --since= --until= --no-merges --all"),
    operands: "revisions",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["stash", "list"],
    flags: words("-# -n= --oneline --stat? --format= --date="),
    operands: "none",
    refusedValue: GPG,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["stash", "show"],
    flags: DIFF,
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["config"],
    flags: words(
      "--get --get-all --get-regexp --list -l --local --show-origin --show-scope --name-only -z --null --bool --int --type=",
    ),
    operands: "text",
    needsFlag: ["--get", "--get-all", "--get-regexp", "--list", "-l"],
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["cat-file"],
    flags: ["-p", "-t", "-s", "-e"],
    operands: "revisions",
    minOperands: 1,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["worktree", "list"],
    flags: ["-v", "--verbose", "--porcelain", "-z"],
    operands: "none",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["reflog"],
    flags: LOG,
    operands: "text",
    operandShape: /^(?:HEAD|stash)(?:@\{[^{}]*\})?$/,
    refusedValue: GPG,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["reflog", "show"],
    flags: LOG,
    operands: "revisions",
    refusedValue: GPG,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["merge-base"],
    flags: ["-a", "--all", "--octopus", "--is-ancestor", "--independent", "--fork-point"],
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["rev-list"],
    flags: LOG,
    operands: "revisions",
    refusedValue: GPG,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["name-rev"],
    flags: ["--tags", "--name-only", "--always"],
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["for-each-ref"],
    flags: ["--sort=", "--format=", "--count=", "--points-at=", "--contains=", "--merged=", "--no-merged="],
    operands: "text",
    refusedValue: REF_GPG,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["show-ref"],
    flags: ["--heads", "--tags", "--head", "-d", "-s", "--verify", "-q"],
    operands: "text",
    readsFolder: true,
  },
  {
    // Not -O/--open-files-in-pager (runs it), --no-index, --textconv, -f outside of what is reported.
    name: "git",
    sub: ["grep"],
    flags: words(
      "-# -a -A= -B= -C= -c -e= -E -F -f=< -G -h -H -i -I -l -L -n -o -p -P -q -v -w -W -z --after-context= --and --before-context= --break --cached --color? --column --context= --count --extended-regexp --files-with-matches --files-without-match --fixed-strings --full-name --heading --ignore-case --invert-match --line-number --max-depth= --name-only --not --null --only-matching --or --perl-regexp --quiet --show-function --text --word-regexp --all-match",
    ),
    operands: "pattern-paths",
    patternFlags: ["-e", "-f"],
    readsFolder: true,
  },
  {
    // `git config a.b` alone reads; with a value it sets.
    name: "git",
    sub: ["config"],
    flags: words("--local --bool --int --type= --show-origin --show-scope"),
    operands: "text",
    minOperands: 1,
    maxOperands: 1,
    operandShape: /^[A-Za-z][\w-]*\.[^\n]*[A-Za-z][\w-]*$/,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["config", "get"],
    flags: words("--local --all --bool --int --type= --show-origin --show-scope --regexp"),
    operands: "text",
    minOperands: 1,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["config", "list"],
    flags: words("--local --show-origin --show-scope --name-only -z"),
    operands: "none",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["diff-tree"],
    flags: [...DIFF, ...words("-r -t -c --cc -m --stdin --root --no-commit-id --always --pretty? --format=")],
    operands: "revisions",
    readsFolder: true,
    refusedValue: GPG,
  },
  ...["diff-index", "diff-files"].map(
    (sub): ReadOnlyRow => ({
      name: "git",
      sub: [sub],
      flags: DIFF,
      operands: "revisions",
      readsFolder: true,
    }),
  ),
  {
    name: "git",
    sub: ["count-objects"],
    flags: ["-v", "-H", "--verbose", "--human-readable"],
    operands: "none",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["check-ignore"],
    flags: words("-v -n -q -z --verbose --non-matching --no-index --stdin"),
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["check-attr"],
    flags: ["-a", "--all", "-z", "--cached"],
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["symbolic-ref"],
    flags: ["--short", "-q", "--quiet"],
    operands: "text",
    minOperands: 1,
    maxOperands: 1,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["whatchanged"],
    flags: [...DIFF, ...LOG],
    operands: "revisions",
    refusedValue: GPG,
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["cherry"],
    flags: ["-v", "--abbrev?"],
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["range-diff"],
    flags: DIFF,
    operands: "revisions",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["show-branch"],
    flags: words("-a -r --all --remotes --current --list --independent --merge-base --no-name --sha1-name --topics"),
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["submodule"],
    flags: [],
    operands: "none",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["submodule", "status"],
    flags: ["--recursive", "--cached"],
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["notes", "list"],
    flags: [],
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["notes", "show"],
    flags: [],
    operands: "text",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["bisect", "log"],
    flags: [],
    operands: "none",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["sparse-checkout", "list"],
    flags: [],
    operands: "none",
    readsFolder: true,
  },
  {
    name: "git",
    sub: ["version"],
    flags: ["--build-options"],
    operands: "none",
  },
  {
    name: "git",
    sub: ["--version"],
    flags: [],
    operands: "none",
  },
];
