import type { ReadOnlyRow } from "../command-row.ts";

const LS_FLAGS =
  "-# -1 -a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z --all --almost-all --author --classify? --color? --directory --file-type --full-time --group-directories-first --human-readable --inode --recursive --reverse --size --sort= --time= --time-style= -I= --ignore= -w= --width=";

/** Commands that show files and folders. */
export const FILE_ROWS: readonly ReadOnlyRow[] = [
  {
    // The command writes the files that it names, so only a call without operands is read-only.
    name: "tee",
    flags: ["-a", "-i", "--append", "--ignore-interrupts"],
    operands: "text",
    operandShape: /^\/dev\/(?:null|stdout|stderr)$/,
    matches: ["tee /dev/null", "tee", "tee -a /dev/stderr"],
    misses: ["tee a", "tee /dev/null a", "tee /dev/sda", "tee -p a"],
  },
  {
    name: "ls",
    flags: LS_FLAGS.split(" "),
    operands: "paths",
    readsFolder: true,
    harmlessFlags: true,
    notTogether: [
      ["-R", "-L"],
      ["--recursive", "-L"],
    ],
    matches: ["ls", "ls -L a", "ls -R src", "ls -la src", "ls -1 --color=never", "ls *.ts", "ls -- a", "LC_ALL=C ls"],
    misses: [
      "ls --unknown",
      "ls $x",
      "ls > a",
      "A=1 ls",
      "ls ~/x",
      "ls .*",
      "ls -RL",
      "ls -lL -R x",
      "ls -L --recursive x",
    ],
  },
  {
    name: "cat",
    flags: "-A -b -e -E -n -s -t -T -u -v --number --show-all --squeeze-blank".split(" "),
    operands: "paths",
    harmlessFlags: true,
    matches: ["cat a.ts", "cat -n a b", "cat < a", "cat *.md"],
    misses: ['cat "$x"', "cat a > b", "cat -x a"],
  },
  {
    name: "head",
    flags: "-# -n= -c= -q -v --lines= --bytes= --quiet --verbose".split(" "),
    operands: "paths",
    harmlessFlags: true,
    matches: ["head -5 a", "head -n 20 a", "head -c100 a", "head"],
    misses: ["head --other a", "head -n $x a"],
  },
  {
    // A tail that follows its files ends with the call's timeout.
    name: "tail",
    flags: "-# -n= -c= -q -v -f -F -s= --lines= --bytes= --quiet --verbose --follow? --retry --sleep-interval=".split(
      " ",
    ),
    operands: "paths",
    operandShape: /^[^+]/,
    matches: ["tail -20 a", "tail -n +3 a", "tail --lines=4 a", "tail -f log", "tail -F log", "tail --follow=name log"],
    misses: ["tail --pid=1 -f log", "tail --quoll log", "tail -5x log", "tail *.log", "tail +5f log", 'tail -f "$x"'],
  },
  {
    name: "wc",
    flags: "-c -l -L -m -w --bytes --chars --lines --words".split(" "),
    operands: "paths",
    harmlessFlags: true,
    matches: ["wc -l a b", "wc -lc a", "wc -l *.ts"],
    misses: ["wc --files0-from=x", "wc -l $f"],
  },
  {
    name: "nl",
    flags: "-b= -n= -w= -s= -v= -i= -p".split(" "),
    operands: "paths",
    harmlessFlags: true,
    matches: ["nl -ba a.ts", "nl a"],
    misses: ["nl --zz a"],
  },
  {
    name: "tac",
    flags: ["-b", "-r", "-s="],
    operands: "paths",
    harmlessFlags: true,
    matches: ["tac a"],
    misses: ["tac -q a"],
  },
  {
    // Not -o (writes), --compress-program (runs), -T (writes there), --files0-from.
    name: "sort",
    flags:
      "-b -c -C -d -f -g -h -i -k= -M -m -n -r -R -s -t= -u -V -z --ignore-case --key= --numeric-sort --reverse --unique --version-sort --human-numeric-sort --field-separator= --stable --check".split(
        " ",
      ),
    operands: "paths",
    matches: ["sort a", "sort -u -k2,2n a", "sort -t, -k 1 a", "sort -rn"],
    misses: [
      "sort -o a a",
      "sort -uo a a",
      "sort --output=a a",
      "sort --compress-program=x a",
      "sort -T /x a",
      "sort *",
      "sort --outp=x a",
    ],
  },
  {
    // A second operand is an output file.
    name: "uniq",
    flags: "-c -d -D -i -u -z -f= -s= -w= --count --repeated --unique --ignore-case".split(" "),
    operands: "paths",
    maxOperands: 1,
    operandShape: /^[^*?[]+$/,
    matches: ["uniq -c", "uniq a", "uniq -f 1 a"],
    misses: ["uniq a b", "uniq -c a b", "uniq *"],
  },
  {
    name: "cut",
    flags:
      "-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter=".split(
        " ",
      ),
    operands: "paths",
    harmlessFlags: true,
    matches: ["cut -d: -f1 a", "cut -d ' ' -f 2-", "cut -c1-80 a"],
    misses: ["cut -x a"],
  },
  {
    name: "tr",
    flags: "-c -C -d -s -t --delete --squeeze-repeats --complement".split(" "),
    operands: "text",
    maxOperands: 2,
    matches: ["tr a-z A-Z", "tr -d '\\n'", "tr -s ' '"],
    misses: ["tr -q a b", "tr a b c"],
  },
  {
    name: "paste",
    flags: ["-d=", "-s", "-z"],
    operands: "paths",
    harmlessFlags: true,
    matches: ["paste -sd, a", "paste a b"],
    misses: ["paste -q a"],
  },
  {
    name: "join",
    flags: "-a= -e= -i -j= -o= -t= -v= -1= -2= -z".split(" "),
    operands: "paths",
    matches: ["join a b", "join -t, -1 2 a b"],
    misses: ["join -q a b"],
  },
  {
    name: "comm",
    flags: "-1 -2 -3 -z --check-order --nocheck-order --total".split(" "),
    operands: "paths",
    matches: ["comm -12 a b", "comm a b"],
    misses: ["comm -9 a b"],
  },
  {
    name: "column",
    flags: "-t -s= -o= -n -c= -x -N= -R=".split(" "),
    operands: "paths",
    matches: ["column -t a", "column -s, -t"],
    misses: ["column -Z a"],
  },
  {
    name: "fold",
    flags: ["-b", "-s", "-w=", "-#"],
    operands: "paths",
    matches: ["fold -w 80 a"],
    misses: ["fold -q a"],
  },
  { name: "rev", flags: [], operands: "paths", matches: ["rev a"], misses: ["rev -x a"] },
  {
    // Not -l/--paginate (runs pr).
    name: "diff",
    flags:
      "-# -a -b -B -c -C= -d -E -i -N -q -r -s -t -T -u -U= -w -x= -y -Z --brief --color? --exclude= --ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change --new-file --recursive --report-identical-files --side-by-side --strip-trailing-cr --text --unified? --width= -W= --suppress-common-lines --label= --no-dereference".split(
        " ",
      ),
    operands: "paths",
    matches: ["diff a b", "diff -u a b", "diff -rq a b", "diff --color=always a b"],
    misses: ["diff -l a b", "diff --paginate a b", "diff --to-file=x a", "diff * b"],
  },
  {
    name: "cmp",
    flags: "-b -l -s -n= -i= --silent --quiet --print-bytes --verbose".split(" "),
    operands: "paths",
    matches: ["cmp a b", "cmp -s a b"],
    misses: ["cmp -q a b"],
  },
  {
    name: "stat",
    flags: "-c= -f -L -t --format= --printf= --dereference --file-system --terse".split(" "),
    operands: "paths",
    harmlessFlags: true,
    matches: ["stat a", "stat -c %s a", "stat --format=%y a"],
    misses: ["stat -q a"],
  },
  {
    // Not -C (compiles a magic file), -m and -f (other files), -z (runs decompressors).
    name: "file",
    flags: "-b -i -I -L -h -k -N -p -r --brief --mime --mime-type --mime-encoding --dereference".split(" "),
    operands: "paths",
    matches: ["file a", "file -b --mime-type a"],
    misses: ["file -C -m x", "file -m x a", "file -f list", "file -z a", "file *"],
  },
  {
    name: "du",
    flags:
      "-a -b -c -d= -h -H -k -l -m -P -s -S -x -0 --all --apparent-size --bytes --human-readable --max-depth= --summarize --total --exclude= --one-file-system --si".split(
        " ",
      ),
    operands: "paths",
    readsFolder: true,
    harmlessFlags: true,
    matches: ["du -sh src", "du -h --max-depth=1", "du -sh *"],
    misses: ["du --files0-from=x", "du -q", "du -L x", "du -aL x"],
  },
  {
    name: "df",
    flags: "-a -h -H -i -k -l -m -P -T --human-readable --total --type= -t= -x=".split(" "),
    operands: "paths",
    harmlessFlags: true,
    matches: ["df -h", "df -h ."],
    misses: ["df --sync"],
  },
  { name: "pwd", flags: ["-L", "-P"], operands: "none", matches: ["pwd", "pwd -P"], misses: ["pwd x"] },
  {
    name: "cd",
    flags: [],
    operands: "paths",
    minOperands: 1,
    maxOperands: 1,
    operandShape: /^(?!-)[^*?[]+$/,
    matches: ["cd src", "cd ..", "cd -- x"],
    misses: ["cd", "cd -", "cd -P x", 'cd "$x"', "cd a b", "cd src*"],
  },
  // These commands only cut text; none of their flags has another effect.
  {
    name: "basename",
    flags: [],
    operands: "text",
    anyWords: true,
    matches: ["basename a/b", "basename a.ts .ts", 'basename "$file"', "basename -a a b"],
    misses: ["basename $API_TOKEN", "basename a > b"],
  },
  {
    name: "dirname",
    flags: [],
    operands: "text",
    anyWords: true,
    matches: ["dirname a/b", 'dirname "$0"'],
    misses: ["dirname $SECRET", "X=1 dirname a"],
  },
  {
    name: "realpath",
    flags: "-e -m -L -P -q -s -z --relative-to= --relative-base=".split(" "),
    operands: "paths",
    matches: ["realpath a", "realpath --relative-to=. a"],
    misses: ["realpath --x a"],
  },
  {
    name: "readlink",
    flags: "-e -f -m -n -q -s -v -z".split(" "),
    operands: "paths",
    matches: ["readlink -f a"],
    misses: ["readlink -x a"],
  },
  {
    name: "tree",
    flags:
      "-a -d -f -i -x -L= -P= -I= -p -u -g -s -h -D -F -r -t -n -C -v --noreport --dirsfirst --gitignore --prune --filelimit= --charset= --matchdirs --du --si".split(
        " ",
      ),
    operands: "paths",
    readsFolder: true,
    matches: ["tree -L 2 src", "tree -a -I node_modules", "tree"],
    misses: ["tree -o out", "tree -ao out", "tree --fromfile x", "tree -R -H x", "tree -l", "tree *"],
  },
  {
    name: "eza",
    flags:
      "-1 -a -A -d -D -f -F -g -h -i -l -L= -r -R -s= -S -t= -T -x --all --almost-all --color= --git --git-ignore --group-directories-first --header --icons? --inode --level= --long --oneline --recurse --reverse --sort= --tree --no-permissions --no-user --no-time --time-style=".split(
        " ",
      ),
    operands: "paths",
    readsFolder: true,
    matches: ["eza -la", "eza --tree --level=2 src"],
    misses: ["eza --quoll", "eza *"],
  },
  ...["getfacl", "lsattr", "namei"].map(
    (name): ReadOnlyRow => ({
      name,
      flags: name === "namei" ? ["-l", "-m", "-o", "-x"] : name === "lsattr" ? ["-a", "-d"] : ["-a", "-c", "-n", "-p"],
      operands: "paths",
      minOperands: 1,
      matches: [`${name} a`],
      misses: [`${name} --restore=x`, `${name} -R a`, `${name} *`, name],
    }),
  ),
];
