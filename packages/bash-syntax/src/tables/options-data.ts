import type { OptionTable } from "../option-table.ts";

/** Commands of psql that start a program or write a file, and SQL by which the server does. */
const PSQL_CODE =
  /\\(?:!|(?:o|out|w|write|g|gx|copy|i|ir|include\w*|setenv|s|e|ef|ev|edit|lo_\w+|c|connect)(?![\w+]))|`|\bprogram\b|\blo_export\b/i;
/** Every command of sqlite3 except those that only show data, and SQL that writes another file or loads code. */
const SQLITE_CODE =
  /(?:^|\n)\s*\.(?!(?:tables?|schema|fullschema|indexe?s|indices|databases|headers?|mode|width|stats|timer|help|show|dump|nullvalue|separator|eqp|explain|bail|changes|limit|print|quit|exit|timeout|dbinfo)(?:\s|$))[a-z]+(?=\s|$)|\b(?:load_extension|writefile|edit|fts3_tokenizer)\s*\(|\bvacuum\b[^;]*\binto\b|\battach\b/i;
const DUCKDB_CODE = new RegExp(`${SQLITE_CODE.source}|(?:^|;)\\s*(?:load|install)\\b`, "i");
/** A file of the project, from which a rule for psql may read commands. */
const PLAIN_FILE = /^(?!-$|\/|~|(?:.*\/)?\.\.(?:\/|$))/;
const LOCAL = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\/?$/;

/** Options of programs that connect to databases and to AWS. */
export const DATA_OPTIONS: readonly OptionTable[] = [
  {
    name: "psql",
    flags: `-0 -1 -? -A -a -b -c= -d= -E -e -F= -f=! -H -h= -L=> -l -n -o=> -P= -p= -q -R= -S -s -T= -t -U= -V -v= -W -w -X -x -z --echo-all --no-align
    --echo-errors --command= --csv --dbname= --echo-hidden --echo-queries --expanded --field-separator-zero --field-separator= --file=! --host=
    --html --list --log-file=> --no-readline --no-password --no-psqlrc --output=> --password --port= --pset= --quiet --record-separator-zero
    --record-separator= --set= --single-line --single-step --single-transaction --table-attr= --tuples-only --username= --variable=`,
    plain: [[/^(?:-f|--file)$/, PLAIN_FILE]],
    refused: [
      [/^(?:-c|--command)$/, PSQL_CODE],
      [/^(?:-o|--output)$/, /^\|/],
      [/^(?:-P|--pset)$/, /pager/],
      [/^(?:-v|--set|--variable)$/, /^(?:EDITOR|PAGER|PSQL)/i],
    ],
    readsCommands: {
      unless: ["-c", "--command", "-f", "--file", "-l", "--list", "-V", "--version", "-?", "--help"],
      code: PSQL_CODE,
      plainFiles: PLAIN_FILE,
    },
    plainExpansion: /^"?\$\{?\w*(?:URL|URI|DSN)\}?"?$/,
  },
  {
    name: "sqlite3",
    flags: `-A! -append -ascii -bail -batch -box -cmd=! -column -csv -deserialize -echo -escape= -header -help -html -ifexists -init=! -interactive -json -line
    -list -lookaside=2 -markdown -maxsize= -memtrace -mmap= -newline= -nofollow -noheader -nonce= -no-rowid-in-view -nullvalue= -pagecache=2 -pcachetrace
    -quote -readonly -safe -separator= -stats -table -tabs -unsafe-testing! -version -vfs= -vfstrace -zip!`,
    singleDash: true,
    refusedOperand: SQLITE_CODE,
    readsCommands: { unless: ["-version", "-help", "-h", "-A"], operands: 2, code: SQLITE_CODE },
  },
  {
    name: "duckdb",
    flags: "-c= -s= -cmd=! -init=! -f=! -unsigned!",
    singleDash: true,
    isOpen: true,
    refused: [[/^-[cs]$/, DUCKDB_CODE]],
    refusedOperand: DUCKDB_CODE,
    readsCommands: { unless: ["-version", "-help", "-c", "-s"], operands: 2, code: DUCKDB_CODE },
  },
  {
    name: "aws",
    flags: "--endpoint-url=! --no-verify-ssl! --ca-bundle=! --cli-input-json= --profile= --region= --output= --query=",
    isOpen: true,
    plain: [[/^--endpoint-url$/, LOCAL]],
  },
];
