import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The flag `-c` is left out, although it only compares: it reads the files in its list and prints only "OK" or "FAILED" for each. */
const checksum = (name: string, flags = ""): ReadOnlyRow => ({
  name,
  flags: words(`-b -t -z --binary --text --tag --zero ${flags}`),
  operands: "paths",
});

/** Commands that transform text and write it to their output. */
export const TEXT_ROWS: readonly ReadOnlyRow[] = [
  ...["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"].map((name) => checksum(name)),
  checksum("shasum", "-a= --algorithm= -U"),
  checksum("cksum", "-a= --algorithm= --untagged"),
  { name: "md5", flags: ["-q", "-r", "-s="], operands: "paths" },
  {
    // A second operand is an output file; -r writes binary.
    name: "xxd",
    flags: words("-a -b -C -c= -e -E -g= -i -l= -len= -n= -o= -p -ps -plain -s= -u -len="),
    operands: "paths",
    maxOperands: 1,
    operandShape: /^[^*?[]+$/,
  },
  {
    name: "od",
    flags: words(
      "-A= -t= -N= -j= -S= -w? -a -b -c -d -f -i -l -o -s -v -x --address-radix= --format= --read-bytes= --skip-bytes= --width?",
    ),
    operands: "paths",
    harmlessFlags: true,
  },
  {
    name: "hexdump",
    flags: words("-b -c -C -d -e= -n= -o -s= -v -x"),
    operands: "paths",
  },
  { name: "hd", flags: words("-n= -s= -v"), operands: "paths" },
  {
    name: "strings",
    flags: words("-# -a -f -n= -t= -e= -o -w -s= --all --bytes= --radix= --encoding= --print-file-name"),
    operands: "paths",
    operandShape: /^[^@]/,
  },
  {
    // Elsewhere -i and -o name files.
    name: "base64",
    flags: words("-d -D -w= --decode --wrap= --ignore-garbage"),
    operands: "paths",
    maxOperands: 1,
  },
  {
    name: "base32",
    flags: words("-d -w="),
    operands: "paths",
    maxOperands: 1,
  },
  { name: "expand", flags: words("-i -t= -#"), operands: "paths" },
  {
    name: "unexpand",
    flags: words("-a -t="),
    operands: "paths",
  },
  {
    name: "fmt",
    flags: words("-c -p= -s -t -u -w= -#"),
    operands: "paths",
  },
  {
    name: "shuf",
    flags: words("-e -i= -n= -r -z"),
    operands: "paths",
  },
  { name: "tsort", flags: [], operands: "paths" },
  {
    name: "numfmt",
    flags: words("--to= --from= --suffix= --padding= --field= --header? -d= --grouping"),
    operands: "text",
  },
  {
    name: "iconv",
    flags: words("-f= -t= -c -l --from-code= --to-code= --list"),
    operands: "paths",
  },
  { name: "expr", flags: [], operands: "text" },
  {
    name: "bc",
    flags: words("-l -q"),
    operands: "none",
  },
  {
    // A name like `host:file` is fetched; -I, --to-command and --checkpoint-action start programs.
    name: "tar",
    flags: words(
      "-t -v -z -j -J -a -f=< --list --verbose --gzip --bzip2 --xz --zstd --file=< --auto-compress --strip-components= --wildcards --exclude=",
    ),
    operands: "text",
    needsFlag: ["-t", "--list"],
    refusedValue: /:/,
    bundledFirst: true,
  },
  {
    name: "unzip",
    flags: words("-l -v -Z -Z1 -t -p -c -q -qq"),
    operands: "paths",
    needsFlag: ["-l", "-v", "-Z", "-Z1", "-t", "-p", "-c"],
    operandShape: /^[^*?[]+$/,
  },
  {
    name: "zipinfo",
    flags: words("-1 -2 -l -s -m -v -h -t -z -T"),
    operands: "paths",
  },
  {
    name: "gzip",
    flags: words("-l -v -t -c -d --list --test --stdout --decompress --verbose"),
    operands: "paths",
    needsFlag: ["-l", "-t", "-c", "--list", "--test", "--stdout"],
  },
  { name: "zcat", flags: [], operands: "paths" },
  { name: "bzcat", flags: [], operands: "paths" },
  { name: "xzcat", flags: [], operands: "paths" },
  {
    name: "xz",
    flags: words("-l -v -t --list --test"),
    operands: "paths",
    needsFlag: ["-l", "-t", "--list", "--test"],
  },
  // Only pages on a terminal; --pager would name a program. Line ranges, language, style.
  ...["bat", "batcat"].map(
    (name): ReadOnlyRow => ({
      name,
      flags: words(
        "-p -pp -P -n -A -l= -r= -H= --plain --number --show-all --language= --line-range= --highlight-line= --style= --color= --paging=never --no-paging --decorations= --theme= --wrap= --tabs= --terminal-width=",
      ),
      operands: "paths",
      operandShape: /^(?!cache$)/,
    }),
  ),
  {
    // Without a terminal it copies its input. Not -o and -O (a log), -k and --lesskey (keys), +command.
    name: "less",
    flags: words(
      "-N -S -R -r -F -X -i -I -n -s -e -E -f -m -M -Q -q -J -W -w --LINE-NUMBERS --chop-long-lines --RAW-CONTROL-CHARS --quit-if-one-screen --no-init --ignore-case",
    ),
    operands: "paths",
    operandShape: /^(?!\+(?!\d+$|G$))/,
  },
  {
    name: "more",
    flags: ["-d", "-f", "-l", "-p", "-c", "-s", "-u"],
    operands: "paths",
    operandShape: /^[^+]/,
  },
  {
    name: "openssl",
    sub: ["x509"],
    flags: words(
      "-in=< -noout -text -dates -subject -issuer -fingerprint -enddate -startdate -serial -sha256 -ext= -purpose -checkend=",
    ),
    operands: "none",
    needsFlag: ["-in"],
    // An address is fetched.
    valueShapes: [["-in", /^[^:]*$/]],
  },
  {
    name: "ssh-keygen",
    flags: ["-l", "-v", "-E=", "-f=<"],
    operands: "none",
    needsFlag: ["-l"],
  },
  {
    // Not --noent, --loaddtd, --valid: they read what the document names. Not --output, --shell, --c14n.
    name: "xmllint",
    flags: ["--noout", "--format", "--nonet", "--xpath="],
    operands: "paths",
    // An address is fetched.
    operandShape: /^(?!.*:\/\/)/,
    minOperands: 1,
  },
  {
    name: "shellcheck",
    flags: words("-s= -S= -e= -i= -f= --shell= --severity= --exclude= --include= --format= --color? --norc"),
    operands: "paths",
    minOperands: 1,
  },
  {
    name: "shfmt",
    flags: words("-d -l -i= -ci -bn -sr -s -ln= --diff --list"),
    operands: "paths",
    needsFlag: ["-d", "-l", "--diff", "--list"],
  },
  {
    name: "gofmt",
    flags: ["-l", "-d", "-s", "-e"],
    operands: "paths",
    needsFlag: ["-l", "-d"],
  },
  {
    name: "cloc",
    flags: words(
      "--quiet --json --csv --by-file --include-lang= --exclude-lang= --exclude-dir= --exclude-ext= --include-ext= --hide-rate",
    ),
    operands: "paths",
    minOperands: 1,
  },
  {
    name: "tokei",
    flags: words("-f -s= -e= -t= -o= --files --sort= --exclude= --type= --hidden --no-ignore"),
    operands: "paths",
    readsFolder: true,
  },
  {
    name: "scc",
    flags: words("-a -c -i= -s= -f= --by-file --exclude-dir= --include-ext= --sort= --format= --no-cocomo"),
    operands: "paths",
    readsFolder: true,
  },
];
