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
  matches: [
    `${name} foo a`,
    `${name} -rn "a b" src --include='*.ts'`,
    `${name} -c x`,
    `${name} -e x -f pats a`,
    `${name} -A3 x a`,
    `${name} -v x *.ts`,
  ],
  misses: [
    `${name} -R foo .`,
    `${name} --unknown x`,
    `${name} $x a`,
    `${name} x a > b`,
    `${name} --exclude-from=x y .`,
  ],
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
    matches: ["rg foo", "rg -n 'a|b' src", "rg --files", "rg -g '*.ts' foo", "rg -e a -e b src", "rg foo src/*.ts"],
    misses: [
      "rg --pre=cat foo",
      "rg --pre cat foo",
      "rg --pre-glob=x foo",
      "rg --hostname-bin=x foo",
      "rg -z foo",
      "rg foo *",
      "rg --ignore-file=x foo",
      "rg -L foo",
    ],
  },
  {
    name: "find",
    flags: [],
    operands: "paths",
    shape: "find",
    readsFolder: true,
    matches: [
      "find",
      "find . -name '*.ts' -type f",
      "find src tests -maxdepth 2 \\( -name a -o -name b \\) -print0",
      "find . ! -path './x/*' -size +1M",
      "find . -newer a -mtime -1",
    ],
    misses: [
      "find . -exec ls {} +",
      "find . -execdir ls {} +",
      "find . -ok rm {} ';'",
      "find . -okdir rm {} ';'",
      "find . -delete",
      "find . -fprint x",
      "find . -fprintf x y",
      "find . -fprint0 x",
      "find . -fls x",
      "find . -files0-from x",
      "find . -name $x",
      "find -L . -name a",
      "find . -name *.ts",
      "find * -name a",
    ],
  },
  {
    // Not -x/-X (run programs), -L, --base-directory, --search-path, --ignore-file, -l (runs ls).
    name: "fd",
    flags:
      "-0 -1 -a -d= -e= -E= -F -g -H -i -I -p -s -t= -u -S= --absolute-path --color= --exact-depth= --exclude= --extension= --fixed-strings --full-path --glob --hidden --ignore-case --max-depth= --max-results= --min-depth= --no-ignore --print0 --case-sensitive --size= --type= --changed-within= --changed-before=".split(
        " ",
      ),
    operands: "pattern-paths",
    readsFolder: true,
    matches: ["fd foo", "fd -e ts . src", "fd -H -t f foo"],
    misses: ["fd -x rm", "fd -X rm", "fd --exec rm", "fd --exec-batch rm", "fd -Hx rm", "fd -l", "fd foo *"],
  },
  {
    name: "jq",
    flags:
      "-c -r -R -s -S -e -n -a -j -C -M --compact-output --raw-output --raw-input --slurp --sort-keys --exit-status --null-input --ascii-output --tab --indent= --color-output --monochrome-output".split(
        " ",
      ),
    operands: "pattern-paths",
    shape: "jq",
    minOperands: 1,
    matches: ["jq .a f.json", "jq -r '.a[] | .b' f.json", "jq . < f.json", "jq '.scripts | keys' package.json"],
    misses: [
      "jq env f",
      "jq '$ENV.A' f",
      "jq -n 'env.HOME'",
      "jq -f x f",
      "jq --from-file x f",
      "jq --rawfile a b . f",
      "jq --slurpfile a b . f",
      "jq -L x . f",
      "jq 'include \"a\"; .' f",
      "jq 'import \"a\" as $a; .' f",
      "jq '$__prog_args' f",
      "jq . *",
    ],
  },
  {
    name: "sed",
    flags: ["-n", "-E", "-r", "--quiet", "--silent", "--regexp-extended"],
    operands: "pattern-paths",
    needsFlag: ["-n", "--quiet", "--silent"],
    shape: "sed-print",
    minOperands: 1,
    matches: [
      "sed -n '1,20p' a",
      "sed -n 5p a",
      "sed -n '$p' a",
      "sed -n '/foo/,/bar/p' a",
      "sed -n '10q;1,5p' a",
      "sed -nE '/a|b/p' a",
      "sed -n '1,20p;20q' a",
    ],
    misses: [
      "sed 's/a/b/' a",
      "sed -i 's/a/b/' a",
      "sed -n -i 1p a",
      "sed -n 'w x' a",
      "sed -n '1e id' a",
      "sed -n 's/a/id/e' a",
      "sed -n '1w x' a",
      "sed -n '1r x' a",
      "sed -n -f x a",
      "sed -ni 1p a",
      "sed -n '/a/{p;e id\n}' a",
      "sed -n 1p *",
      "sed 1p a",
    ],
  },
  {
    name: "awk",
    flags: ["-F="],
    operands: "pattern-paths",
    shape: "awk-print",
    minOperands: 1,
    matches: [
      "awk '{print $1}' a",
      "awk -F: '{print $1, $NF}' a",
      "awk '{ print }'",
      "awk 'NR==5 {print $2}' a",
      "awk '{print NR \": \" $0}' a",
    ],
    misses: [
      "awk '{system(\"id\")}' a",
      "awk '{print | \"sh\"}' a",
      "awk '{print > \"x\"}' a",
      "awk '{\"id\" | getline x}' a",
      "awk -f x a",
      "awk -v a=b '{print a}' f",
      "awk 'BEGIN{print ENVIRON[\"A\"]}'",
      "awk '{print $1}' a=b",
      "awk '@load \"x\"; {print}' a",
      "awk -i inplace '{print}' a",
      "awk '{print $1}' *",
    ],
  },
];
