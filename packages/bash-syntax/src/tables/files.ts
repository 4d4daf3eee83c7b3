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
  },
  {
    name: "cat",
    flags: "-A -b -e -E -n -s -t -T -u -v --number --show-all --squeeze-blank".split(" "),
    operands: "paths",
    harmlessFlags: true,
  },
  {
    name: "head",
    flags: "-# -n= -c= -q -v --lines= --bytes= --quiet --verbose".split(" "),
    operands: "paths",
    harmlessFlags: true,
  },
  {
    // A tail that follows its files ends with the call's timeout.
    name: "tail",
    flags: "-# -n= -c= -q -v -f -F -s= --lines= --bytes= --quiet --verbose --follow? --retry --sleep-interval=".split(
      " ",
    ),
    operands: "paths",
    operandShape: /^[^+]/,
  },
  {
    name: "wc",
    flags: "-c -l -L -m -w --bytes --chars --lines --words".split(" "),
    operands: "paths",
    harmlessFlags: true,
  },
  {
    name: "nl",
    flags: "-b= -n= -w= -s= -v= -i= -p".split(" "),
    operands: "paths",
    harmlessFlags: true,
  },
  {
    name: "tac",
    flags: ["-b", "-r", "-s="],
    operands: "paths",
    harmlessFlags: true,
  },
  {
    // Not -o (writes), --compress-program (runs), -T (writes there), --files0-from.
    name: "sort",
    flags:
      "-b -c -C -d -f -g -h -i -k= -M -m -n -r -R -s -t= -u -V -z --ignore-case --key= --numeric-sort --reverse --unique --version-sort --human-numeric-sort --field-separator= --stable --check".split(
        " ",
      ),
    operands: "paths",
  },
  {
    // A second operand is an output file.
    name: "uniq",
    flags: "-c -d -D -i -u -z -f= -s= -w= --count --repeated --unique --ignore-case".split(" "),
    operands: "paths",
    maxOperands: 1,
    operandShape: /^[^*?[]+$/,
  },
  {
    name: "cut",
    flags:
      "-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter=".split(
        " ",
      ),
    operands: "paths",
    harmlessFlags: true,
  },
  {
    name: "tr",
    flags: "-c -C -d -s -t --delete --squeeze-repeats --complement".split(" "),
    operands: "text",
    maxOperands: 2,
  },
  {
    name: "paste",
    flags: ["-d=", "-s", "-z"],
    operands: "paths",
    harmlessFlags: true,
  },
  {
    name: "join",
    flags: "-a= -e= -i -j= -o= -t= -v= -1= -2= -z".split(" "),
    operands: "paths",
  },
  {
    name: "comm",
    flags: "-1 -2 -3 -z --check-order --nocheck-order --total".split(" "),
    operands: "paths",
  },
  {
    name: "column",
    flags: "-t -s= -o= -n -c= -x -N= -R=".split(" "),
    operands: "paths",
  },
  {
    name: "fold",
    flags: ["-b", "-s", "-w=", "-#"],
    operands: "paths",
  },
  { name: "rev", flags: [], operands: "paths" },
  {
    // Not -l/--paginate (runs pr).
    name: "diff",
    flags:
      "-# -a -b -B -c -C= -d -E -i -N -q -r -s -t -T -u -U= -w -x= -y -Z --brief --color? --exclude= --ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change --new-file --recursive --report-identical-files --side-by-side --strip-trailing-cr --text --unified? --width= -W= --suppress-common-lines --label= --no-dereference".split(
        " ",
      ),
    operands: "paths",
  },
  {
    name: "cmp",
    flags: "-b -l -s -n= -i= --silent --quiet --print-bytes --verbose".split(" "),
    operands: "paths",
  },
  {
    name: "stat",
    flags: "-c= -f -L -t --format= --printf= --dereference --file-system --terse".split(" "),
    operands: "paths",
    harmlessFlags: true,
  },
  {
    // Not -C (compiles a magic file), -m and -f (other files), -z (runs decompressors).
    name: "file",
    flags: "-b -i -I -L -h -k -N -p -r --brief --mime --mime-type --mime-encoding --dereference".split(" "),
    operands: "paths",
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
  },
  {
    name: "df",
    flags: "-a -h -H -i -k -l -m -P -T --human-readable --total --type= -t= -x=".split(" "),
    operands: "paths",
    harmlessFlags: true,
  },
  { name: "pwd", flags: ["-L", "-P"], operands: "none" },
  {
    name: "cd",
    flags: [],
    operands: "paths",
    minOperands: 1,
    maxOperands: 1,
    operandShape: /^(?!-)[^*?[]+$/,
  },
  // These commands only cut text; none of their flags has another effect.
  {
    name: "basename",
    flags: [],
    operands: "text",
    anyWords: true,
  },
  {
    name: "dirname",
    flags: [],
    operands: "text",
    anyWords: true,
  },
  {
    name: "realpath",
    flags: "-e -m -L -P -q -s -z --relative-to= --relative-base=".split(" "),
    operands: "paths",
  },
  {
    name: "readlink",
    flags: "-e -f -m -n -q -s -v -z".split(" "),
    operands: "paths",
  },
  {
    name: "tree",
    flags:
      "-a -d -f -i -x -L= -P= -I= -p -u -g -s -h -D -F -r -t -n -C -v --noreport --dirsfirst --gitignore --prune --filelimit= --charset= --matchdirs --du --si".split(
        " ",
      ),
    operands: "paths",
    readsFolder: true,
  },
  {
    name: "eza",
    flags:
      "-1 -a -A -d -D -f -F -g -h -i -l -L= -r -R -s= -S -t= -T -x --all --almost-all --color= --git --git-ignore --group-directories-first --header --icons? --inode --level= --long --oneline --recurse --reverse --sort= --tree --no-permissions --no-user --no-time --time-style=".split(
        " ",
      ),
    operands: "paths",
    readsFolder: true,
  },
  ...["getfacl", "lsattr", "namei"].map(
    (name): ReadOnlyRow => ({
      name,
      flags: name === "namei" ? ["-l", "-m", "-o", "-x"] : name === "lsattr" ? ["-a", "-d"] : ["-a", "-c", "-n", "-p"],
      operands: "paths",
      minOperands: 1,
    }),
  ),
];
