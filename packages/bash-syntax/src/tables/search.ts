import type { ReadOnlyRow } from "../command-row.ts";

const GREP_FLAGS =
  "-# -a -A= -b -B= -c -C= -d= -D= -e= -E -f=< -F -G -h -H -i -I -l -L -m= -n -N -o -P -q -r -s -U -v -V -w -x -y -z -Z --after-context= --before-context= --binary-files= --byte-offset --color? --colour? --context= --count --exclude= --exclude-dir= --extended-regexp --file=< --files-with-matches --files-without-match --fixed-strings --ignore-case --include= --initial-tab --invert-match --line-number --line-regexp --max-count= --no-filename --no-ignore-case --no-messages --null --null-data --only-matching --perl-regexp --quiet --recursive --regexp= --silent --text --with-filename --word-regexp --line-buffered".split(
    " ",
  );

const grep = (name: string): ReadOnlyRow => ({
  // Not -R/--dereference-recursive (leaves the folder through links).
  name,
  flags: GREP_FLAGS,
  operands: "pattern-paths",
  patternFlags: ["-e", "-f", "--regexp", "--file"],
  readsFolder: true,
  harmlessFlags: true,
});

/** Commands that search. */
export const SEARCH_ROWS: readonly ReadOnlyRow[] = [
  grep("grep"),
  grep("egrep"),
  grep("fgrep"),
  {
    // Not --pre, --hostname-bin (run programs), --ignore-file, -L/--follow. -z runs decompressors from PATH.
    name: "rg",
    flags:
      "-# -a -A= -b -B= -c -C= -e= -E= -f=< -F -g= -h -H -i -I -j= -l -m= -M= -n -N -o -p -P -q -r= -s -S -t= -T= -u -U -v -V -w -x -0 --after-context= --before-context= --case-sensitive --color= --column --context= --context-separator= --count --count-matches --debug --encoding= --file=< --files --files-with-matches --files-without-match --fixed-strings --glob= --glob-case-insensitive --heading --hidden --iglob= --ignore-case --invert-match --json --line-number --line-regexp --max-columns= --max-count= --max-depth= -d= --max-filesize= --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-vcs --no-line-number --no-messages --null --only-matching --pcre2 --pretty --quiet --regexp= --replace= --smart-case --sort= --sortr= --stats --text --threads= --trim --type= --type-list --type-not= --unrestricted --vimgrep --with-filename --word-regexp".split(
        " ",
      ),
    operands: "pattern-paths",
    patternFlags: ["-e", "-f", "--regexp", "--file", "--files", "--type-list"],
    readsFolder: true,
  },
  {
    name: "find",
    flags: [],
    operands: "paths",
    shape: "find",
    readsFolder: true,
  },
  // Not -x/-X (run programs), -L, --base-directory, --search-path, --ignore-file, -l (runs ls).
  ...["fd", "fdfind"].map(
    (name): ReadOnlyRow => ({
      name,
      flags:
        "-0 -1 -a -d= -e= -E= -F -g -H -i -I -p -s -t= -u -S= --absolute-path --color= --exact-depth= --exclude= --extension= --fixed-strings --full-path --glob --hidden --ignore-case --max-depth= --max-results= --min-depth= --no-ignore --print0 --case-sensitive --size= --type= --changed-within= --changed-before=".split(
          " ",
        ),
      operands: "pattern-paths",
      readsFolder: true,
    }),
  ),
  {
    name: "jq",
    flags:
      "-c -r -R -s -S -e -n -a -j -C -M --arg=2 --argjson=2 --compact-output --raw-output --raw-input --slurp --sort-keys --exit-status --null-input --ascii-output --tab --indent= --color-output --monochrome-output".split(
        " ",
      ),
    operands: "pattern-paths",
    shape: "jq",
    minOperands: 1,
  },
  {
    // Not -i, -f, --debug; no command of the script may run, write or read (program-text.ts).
    name: "sed",
    flags:
      "-n -E -r -s -u -z -e= -l= --quiet --silent --regexp-extended --expression= --separate --null-data --unbuffered --posix --sandbox --line-length=".split(
        " ",
      ),
    operands: "pattern-paths",
    patternFlags: ["-e", "--expression"],
    shape: "sed",
  },
  {
    name: "awk",
    flags: ["-F=", "-v="],
    operands: "pattern-paths",
    shape: "awk",
    minOperands: 1,
  },
  {
    // Not -i (in place), -s (writes files), --from-file, and none of its operators that read files or the environment.
    name: "yq",
    flags:
      "-r -e -M -C -N -j -c -P -n -o= -p= -I= --output-format= --input-format= --indent= --no-colors --prettyPrint --exit-status --unwrapScalar? --raw-output".split(
        " ",
      ),
    operands: "pattern-paths",
    shape: "yq",
    minOperands: 1,
  },
];
