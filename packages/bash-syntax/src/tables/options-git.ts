import type { OptionTable } from "../option-table.ts";

const DIFF = `--no-index -a -b -B? -C? -D -G= -I= -l= -M? -O= -p -R -s -S= -u -U= -W -w -X? -z --abbrev? --anchored= --binary --break-rewrites? --check --color-moved-ws=
  --color-moved? --color-words? --color? --compact-summary --cumulative --default-prefix --diff-algorithm= --diff-filter= --dirstat-by-file?
  --dirstat? --dst-prefix= --exit-code --ext-diff! --find-copies-harder --find-copies? --find-object= --find-renames? --follow --full-index
  --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --ignore-matching-lines= --ignore-space-at-eol
  --ignore-space-change --ignore-submodules? --indent-heuristic --inter-hunk-context= --irreversible-delete --ita-invisible-in-index
  --ita-visible-in-index --line-prefix= --max-depth= --minimal --name-only --name-status --no-ext-diff --no-prefix --no-renames --no-textconv
  --numstat --output-indicator-context= --output-indicator-new= --output-indicator-old= --output=> --patch --patch-with-raw --patch-with-stat
  --patience --pickaxe-all --pickaxe-regex --quiet --raw --relative? --rename-empty --rotate-to= --shortstat --skip-to= --src-prefix= --stat-count=
  --stat-graph-width= --stat-name-width= --stat-width= --stat? --submodule? --summary --text --textconv --unified= --word-diff-regex= --word-diff?
  --ws-error-highlight=`;
const LOG = `-# -c -E -F -g -i -L= -m -n= -P -r -t --abbrev-commit --all --all-match --always --ancestry-path? --author-date-order --author= --basic-regexp
  --bisect --bisect-all --bisect-vars --boundary --branches? --cc --cherry --cherry-mark --cherry-pick --children --clear-decorations
  --combined-all-paths --committer= --count --creation-factor= --date-order --date= --dd --decorate-refs-exclude= --decorate-refs= --decorate? --dense
  --diff-merges= --disk-usage? --do-walk --dual-color --encoding= --exclude-hidden= --exclude= --expand-tabs? --extended-regexp --first-parent
  --fixed-strings --format= --full-history --glob= --graph --grep= --header --hunk --ignore-missing --invert-grep --left-only --left-right --log-size
  --mailmap --max-age= --max-count= --max-parents= --merge --merges --min-age= --min-parents= --no-abbrev-commit --no-commit-id --no-diff-merges
  --no-dual-color --no-merges --no-notes --no-walk? --notes? --object-names --objects --objects-edge --oneline --parents --perl-regexp --pretty?
  --reflog --regexp-ignore-case --relative-date --remerge-diff --remotes? --remove-empty --reverse --right-only --root --show-linear-break?
  --show-notes? --show-pulls --show-signature --simplify-by-decoration --simplify-merges --since-as-filter= --since= --skip= --source --sparse --stdin
  --tags? --topo-order --trailer= --unpacked --until= --use-mailmap --walk-reflogs`;

/** Options of git's commands: those that start no program but git, and those that write (`=>`). */
export const GIT_OPTIONS: OptionTable = {
  name: "git",
  flags:
    "-C= -c= -P --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-lazy-fetch --no-advice --html-path --man-path --info-path -v",
  plain: [[/^(?:-s|--strategy)$/, /^(?:ort|recursive|resolve|octopus|ours|subtree)$/]],
  subs: {
    "request-pull stripspace": "-p -s -c --strip-comments --comment-lines",
    "add stage": `-A -e -f -i -N -n -p -u -v --all --chmod --dry-run --edit --force --ignore-errors --ignore-missing --ignore-removal --intent-to-add --interactive
    --patch --pathspec-file-nul --pathspec-from-file= --refresh --renormalize --sparse --update --verbose --warn-embedded-repo`,
    am: `-3 -c -C= -i -k -m -p= -q -r -s -S? -u --3way --abort --allow-empty --binary --committer-date-is-author-date --continue --directory= --empty=
    --exclude= --gpg-sign? --ignore-date --ignore-space-change --ignore-whitespace --include= --interactive --keep --keep-cr --keep-non-patch
    --message-id --patch-format= --quiet --quit --quoted-cr= --rebasing --reject --rerere-autoupdate --resolved --resolvemsg --scissors
    --show-current-patch? --signoff --skip --utf8 --whitespace=`,
    apply: `-3 -C= -N -p= -q -R -v -z --3way --add --allow-binary-replacement --allow-empty --allow-overlap --apply --binary --build-fake-ancestor=> --cached
    --check --directory= --exclude= --ignore-space-change --ignore-whitespace --inaccurate-eof --include= --index --intent-to-add --numstat --quiet
    --recount --reject --reverse --stat --summary --unidiff-zero --unsafe-paths! --verbose --whitespace=`,
    archive: `-l -NUM -o=> -v --add-file= --add-virtual-file= --exec=! --format= --list --output=> --prefix= --remote=! --verbose --worktree-attributes`,
    bisect: "--first-parent --no-checkout --term-bad= --term-good= --term-new= --term-old=",
    "blame annotate": `${DIFF} ${LOG} -e -f --color-by-age --color-lines --contents= --ignore-rev= --ignore-revs-file= --incremental --line-porcelain --porcelain
    --progress --score-debug --show-email --show-name --show-number --show-stats`,
    branch: `-a -C -c -D -d -f -i -l -M -m -q -r -t? -u= -v --abbrev? --all --color? --column? --contains? --copy --create-reflog --delete --edit-description
    --force --format= --ignore-case --list --merged? --move --no-contains? --no-merged? --points-at= --quiet --recurse-submodules --remotes
    --set-upstream --set-upstream-to= --show-current --sort= --track? --unset-upstream --verbose --with --without`,
    bundle: "-q --all --all-progress --branches? --progress --quiet --since= --stdin --tags? --version=",
    "cat-file": `-e -p -s -t -z --allow-unknown-type --batch-all-objects --batch-check? --batch-command? --batch? --buffer --filters --follow-symlinks --mailmap
    --path --textconv --unordered --use-mailmap`,
    "check-attr": "-a -z --all --cached --stdin",
    "check-ignore": "-n -q -v -z --index --non-matching --quiet --stdin --verbose",
    checkout: `-2 -3 -B= -b= -d -f -l -m -p -q -t? --conflict= --detach --force --guess --ignore-other-worktrees --ignore-skip-worktree-bits --merge --orphan=
    --ours --overlay --overwrite-ignore --patch --pathspec-file-nul --pathspec-from-file= --progress --quiet --recurse-submodules? --theirs --track?`,
    "checkout-index": `-a -f -n -q -u -z --all --create --force --ignore-skip-worktree-bits --index --prefix=> --quiet --stage --stdin --temp`,
    cherry: "-v --abbrev? --verbose",
    "cherry-pick": `-e -m= -n -s -S? -x -X= --abort --allow-empty --allow-empty-message --cleanup= --commit --continue --edit --ff --gpg-sign?
    --keep-redundant-commits --mainline= --quit --rerere-autoupdate --signoff --skip --strategy-option= --strategy=!`,
    clean: "-d -e= -f -i -n -q -X -x --dry-run --exclude= --force --interactive --quiet",
    clone: `-4 -6 -b= -c= -j= -l -n -o= -q -s -u=! -v --also-filter-submodules --bare --branch= --bundle-uri= --checkout --config= --depth= --dissociate
    --filter= --hardlinks --ipv4 --ipv6 --jobs= --local --mirror --naked --origin= --progress --quiet --recurse-submodules? --recursive?
    --reference-if-able= --reference= --reject-shallow --remote-submodules --separate-git-dir=> --server-option= --shallow-exclude= --shallow-since=
    --shallow-submodules --shared --single-branch --sparse --tags --template=! --upload-pack=! --verbose`,
    commit: `-a -C= -c= -e -F= -i -m= -n -o -p -q -s -S? -t= -u? -v -z --ahead-behind --all --allow-empty --allow-empty-message --amend --author= --branch
    --cleanup= --date= --dry-run --edit --file= --fixup= --gpg-sign? --include --interactive --long --message= --null --only --patch
    --pathspec-file-nul --pathspec-from-file= --porcelain --post-rewrite --quiet --reedit-message= --reset-author --reuse-message= --short --signoff
    --squash= --status --template= --trailer= --untracked-files? --verbose --verify`,
    "commit-tree": "-F= -m= -p= -S? --gpg-sign?",
    config: `-e -f= -l -t= -z --add --blob= --bool --bool-or-int --bool-or-str --default= --edit --expiry-date --file= --fixed-value --get --get-all
    --get-color --get-colorbool --get-regexp --get-urlmatch --global --includes --int --list --local --name-only --null --path --remove-section
    --rename-section --replace-all --show-origin --show-scope --system --type= --unset --unset-all --worktree`,
    "count-objects": "-H -v --human-readable --verbose",
    describe: `--abbrev? --all --always --broken? --candidates= --contains --debug --dirty? --exact-match --exclude= --first-parent --long --match= --tags`,
    "diff diff-files diff-index": `${DIFF} --abbrev=`,
    "diff-tree": `${DIFF} -c -r --abbrev= --cc --combined-all-paths --root`,
    fetch: `-4 -6 -a -f -j= -k -m -n -o= -P -p -q -t -u -v --all --append --atomic --auto-gc --auto-maintenance --deepen= --depth= --dry-run --filter= --force
    --ipv4 --ipv6 --jobs= --keep --multiple --negotiate-only --negotiation-tip= --prefetch --progress --prune --prune-tags --quiet
    --recurse-submodules-default --recurse-submodules? --refetch --refmap= --server-option= --set-upstream --shallow-exclude= --shallow-since=
    --show-forced-updates --stdin --submodule-prefix --tags --unshallow --update-head-ok --update-shallow --upload-pack=! --verbose
    --write-commit-graph --write-fetch-head`,
    "for-each-ref": `-p -s --color? --contains= --count= --format= --ignore-case --merged= --perl --points-at= --python --shell --sort= --tcl`,
    "format-patch": `${DIFF} ${LOG} -k -N -o=> -q -v= --add-header= --attach? --base= --cc= --cover-from-description= --cover-letter --filename-max-length=
    --force-in-body-from --from? --ignore-if-in-upstream --in-reply-to= --inline? --interdiff= --keep-subject --no-stat --numbered
    --numbered-files --output-directory=> --progress --range-diff= --reroll-count= --rfc --signature-file= --signature= --signoff
    --start-number= --stdout --subject-prefix= --suffix= --thread? --to= --zero-commit`,
    fsck: `-v --cache --connectivity-only --dangling --full --lost-found --name-objects --progress --reflogs --root --strict --tags --unreachable --verbose`,
    gc: "-q --aggressive --auto --cruft --force --keep-largest-pack --prune? --quiet",
    grep: `-a -A= -B= -c -C= -E -e= -F -f= -G -H -h -I -i -L -l -m= -n -NUM -o -O! -P -p -q -r -v -W -w -z --after-context= --all-match --and --basic-regexp
    --before-context= --break --cached --color? --column --context= --count --exclude-standard --ext-grep --extended-regexp --files-with-matches
    --files-without-match --fixed-strings --full-name --function-context --heading --ignore-case --index --invert-match --line-number --max-count=
    --max-depth= --name-only --not --null --only-matching --open-files-in-pager! --or --perl-regexp --quiet --recurse-submodules --recursive
    --show-function --text --textconv --threads= --untracked --word-regexp`,
    "hash-object": "-t= -w --filters --literally --path= --stdin --stdin-paths",
    init: "-b= -q --bare --initial-branch= --object-format= --quiet --separate-git-dir=> --shared? --template=!",
    "log show whatchanged": `${DIFF} ${LOG} -q`,
    "ls-files": `-c -d -f -i -k -m -o -s -t -u -v -X= -x= -z --abbrev? --cached --debug --deduplicate --deleted --directory --empty-directory --eol --error-unmatch
    --exclude-from= --exclude-per-directory= --exclude-standard --exclude= --format= --full-name --ignored --killed --modified --others
    --recurse-submodules --resolve-undo --sparse --stage --unmerged --with-tree=`,
    "ls-remote": `-h -o= -q -t --exec=! --exit-code --get-url --heads --quiet --refs --server-option= --sort= --symref --tags --upload-pack=!`,
    "ls-tree":
      "-d -l -r -t -z --abbrev? --format= --full-name --full-tree --long --name-only --name-status --object-only",
    merge: `-e -F= -m= -n -q -s=! -S? -v -X= --abort --allow-unrelated-histories --autostash --cleanup= --commit --continue --edit --ff --ff-only --file=
    --gpg-sign? --into-name= --log? --message= --overwrite-ignore --progress --quiet --quit --rerere-autoupdate --signoff --squash --stat
    --strategy-option= --strategy=! --summary --verbose --verify --verify-signatures`,
    "merge-base": "-a --all --fork-point --independent --is-ancestor --octopus",
    "merge-file": "-L= -p -q --diff3 --marker-size= --ours --quiet --stdout --theirs --union --zdiff3",
    "merge-tree": "-z --allow-unrelated-histories --messages --name-only --stdin --trivial-merge --write-tree",
    mktree: "-z --batch --missing",
    mv: "-f -k -n -v --dry-run --force --sparse --verbose",
    "name-rev": "--all --always --annotate-stdin --exclude= --name-only --peel-tag --refs= --stdin --tags --undefined",
    notes: `-C= -c= -f -F= -m= -n -q -s= -v --abort --allow-empty --commit --dry-run --file= --force --ignore-missing --message= --ref= --separator? --stdin
    --strategy= --stripspace --verbose`,
    "pack-refs": "--all --prune",
    prune: "-n -v --dry-run --exclude-promisor-objects --expire= --progress --verbose",
    pull: `-4 -6 -a -f -j? -k -n -o= -p -q -r? -s=! -S? -t -v -X= --all --allow-unrelated-histories --append --autostash --cleanup= --commit --deepen=
    --depth= --dry-run --edit --ff --ff-only --force --gpg-sign? --ipv4 --ipv6 --jobs? --keep --log? --negotiation-tip= --progress --prune --quiet
    --rebase? --recurse-submodules? --refmap= --server-option= --set-upstream --shallow-exclude= --shallow-since= --show-forced-updates --signoff?
    --squash --stat --strategy-option= --strategy=! --summary --tags --unshallow --update-shallow --upload-pack=! --verbose --verify
    --verify-signatures`,
    push: `-4 -6 -d -f -n -o= -q -u -v --all --atomic --delete --dry-run --exec=! --follow-tags --force --force-if-includes --force-with-lease? --ipv4 --ipv6
    --mirror --porcelain --progress --prune --push-option= --quiet --receive-pack=! --recurse-submodules --repo= --set-upstream --signed? --tags
    --thin --verbose --verify`,
    "range-diff": `${DIFF} -U? --creation-factor= --dual-color --left-only --notes? --right-only --unified?`,
    "read-tree": `-i -m -n -q -u -v --aggressive --debug-unpack --dry-run --empty --exclude-per-directory= --index-output=> --prefix= --quiet --recurse-submodules?
    --reset --sparse-checkout --trivial --verbose`,
    rebase: `-C= -f -i -m -n -q -r? -s=! -S? -v -X= -x= --abort --allow-empty-message --apply --autosquash --autostash --committer-date-is-author-date
    --continue --edit-todo --empty= --exec= --ff --force-rebase --fork-point --gpg-sign? --ignore-date --ignore-whitespace --interactive --keep-base
    --keep-empty --merge --onto= --preserve-merges --quiet --quit --reapply-cherry-picks --rebase-merges? --rerere-autoupdate --reschedule-failed-exec
    --reset-author-date --root --show-current-patch --signoff --skip --stat --strategy-option= --strategy=! --update-refs --verbose --verify
    --whitespace=`,
    reflog: `${DIFF} ${LOG} --dry-run --expire-unreachable= --expire= --rewrite --single-worktree --stale-fix --updateref`,
    remote: `-a -d -f -m= -n -p -q -t= -v --add --all --auto --delete --fetch --master= --mirror? --no-tags --progress --prune --push --quiet --tags --verbose`,
    repack: `-A -a -b -d -F -f -g= -i -k -l -m -n -q --cruft --cruft-expiration= --delta-islands --depth= --expire-to=> --geometric= --keep-pack=
    --keep-unreachable --local --max-pack-size= --pack-kept-objects --quiet --threads= --unpack-unreachable= --window-memory= --window=
    --write-bitmap-index --write-midx`,
    replace: "-d -e -f -g -l --convert-graft-file --delete --edit --force --format= --graft --list --raw",
    rerere: "--rerere-autoupdate",
    reset: `-N -p -q --hard --intent-to-add --keep --merge --mixed --patch --pathspec-file-nul --pathspec-from-file= --quiet --recurse-submodules? --refresh
    --soft`,
    restore: `-2 -3 -m -p -q -S -s= -W --conflict= --ignore-skip-worktree-bits --ignore-unmerged --merge --ours --overlay --patch --pathspec-file-nul
    --pathspec-from-file= --progress --quiet --recurse-submodules? --source= --staged --theirs --worktree`,
    "rev-list": `${DIFF} ${LOG} --abbrev=`,
    "rev-parse": `-q --abbrev-ref? --absolute-git-dir --after= --all --before= --branches? --default= --disambiguate= --end-of-options --exclude= --flags
    --git-common-dir --git-dir --git-path= --glob= --is-bare-repository --is-inside-git-dir --is-inside-work-tree --is-shallow-repository
    --keep-dashdash --local-env-vars --no-flags --no-revs --not --parseopt --path-format= --prefix= --quiet --remotes? --resolve-git-dir= --revs-only
    --shared-index-path --short? --show-cdup --show-object-format? --show-prefix --show-ref-format --show-superproject-working-tree --show-toplevel
    --since= --sq --sq-quote --stop-at-non-option --stuck-long --symbolic --symbolic-full-name --tags? --until= --verify`,
    revert: `-e -m= -n -s -S? -X= --abort --cleanup= --commit --continue --edit --gpg-sign? --mainline= --quit --reference --rerere-autoupdate --signoff --skip
    --strategy-option= --strategy=!`,
    rm: `-f -n -q -r --cached --dry-run --force --ignore-unmatch --pathspec-file-nul --pathspec-from-file= --quiet --sparse`,
    shortlog: `${DIFF} ${LOG} -e -w? --email --group= --numbered`,
    "show-branch": `-a -g? -r --all --color? --current --date-order --independent --list --merge-base --more? --name --reflog? --remotes --sha1-name --sparse --topics
    --topo-order`,
    "show-ref": "-d -q -s? --abbrev? --dereference --exclude-existing? --hash? --head --heads --quiet --tags --verify",
    "sparse-checkout":
      "--cone --end-of-options --no-cone --no-sparse-index --rules-file= --skip-checks --sparse-index --stdin",
    stash: `${DIFF} ${LOG} -k -m= -q --include-untracked --index --keep-index --message= --no-keep-index --only-untracked --pathspec-file-nul
    --pathspec-from-file= --staged`,
    status: `-b -M? -s -u? -v -z --ahead-behind --branch --column? --find-renames? --ignore-submodules? --ignored? --long --null --porcelain? --renames --short
    --show-stash --untracked-files? --verbose`,
    submodule: `-b= -d -f -j= -N -n= -q --all --branch= --cached --checkout --default --depth= --dissociate --files --filter= --force --init --jobs= --merge
    --name= --no-fetch --no-recommend-shallow --no-single-branch --progress --quiet --rebase --recommend-shallow --recursive --reference= --remote
    --single-branch --summary-limit=`,
    switch: `-C= -c= -d -f -m -q -t? --conflict= --create= --detach --discard-changes --force --force-create= --guess --ignore-other-worktrees --merge
    --orphan= --overwrite-ignore --progress --quiet --recurse-submodules? --track?`,
    "symbolic-ref": "-d -m= -q --delete --quiet --recurse --short",
    tag: `-a -d -e -f -F= -i -l -m= -n? -s -u= -v --annotate --cleanup= --color? --column? --contains= --create-reflog --delete --edit --file= --force
    --format= --ignore-case --list --local-user= --merged= --message= --points-at= --sign --sort= --verify --with --without`,
    "update-index": `-g -q -z --add --again --assume-unchanged --cacheinfo= --chmod --clear-resolve-undo --force-remove --force-untracked-cache --force-write-index
    --fsmonitor --fsmonitor-valid --ignore-missing --ignore-skip-worktree-entries --ignore-submodules --index-info --index-version= --info-only
    --really-refresh --refresh --remove --replace --skip-worktree --split-index --stdin --test-untracked-cache --unmerged --unresolve
    --untracked-cache --verbose`,
    "update-ref": "-d -m= -z --create-reflog --deref --stdin",
    "verify-commit": "-v --raw --verbose",
    "verify-tag": "-v --format= --raw --verbose",
    var: "-l",
    worktree: `-B= -b= -d -f -n -q -v -z --checkout --detach --dry-run --expire= --force --guess-remote --lock --no-checkout --no-guess-remote --orphan
    --porcelain --quiet --reason= --relative-paths --track --verbose`,
    "write-tree": "--ignore-cache-tree --missing-ok --prefix=",
    lfs: `-a -d -f -I= -l -n -s -X= --all --debug --dry-run --exclude= --force --include= --json --local --lockable --long --prune --recent --size
    --skip-repo --skip-smudge --verbose`,
    help: "-a -c -g --all --config --guides --no-verbose --verbose",
    version: "--build-options",
    maintenance: "--auto --quiet --schedule= --task=",
    "diff-pairs": "-z",
  },
};
