import type { HazardRow } from "../command-row.ts";

const OVERWRITES = "overwrites {target}";
const UNPACKS = "may overwrite files with those of an archive";
const BY_PROGRAM = "writes the files that its program names";

/** For each of these programs, the flag that names the written file. */
const OUTPUT_FLAGS: readonly (readonly [name: string, flags: readonly string[]])[] = [
  ["sort", ["-o", "--output"]],
  ["curl", ["-o", "--output"]],
  ["wget", ["-O", "--output-document"]],
  ["shuf", ["-o", "--output"]],
  ["iconv", ["-o", "--output"]],
  ["base64", ["-o", "--output"]],
  ["gpg", ["-o", "--output"]],
  ["gpg2", ["-o", "--output"]],
  ["age", ["-o", "--output"]],
  ["xmllint", ["-o", "--output"]],
  ["xsltproc", ["-o", "--output"]],
];

/** sed: `w file` as a command, or as a flag of `s`. */
const SED_WRITES =
  /(?:^|[;{}\n])\s*(?:\d+|\$|\/[^/\n]*\/|[,\s!])*[wW]\s+\S|(?:^|[;{}\n\s\d$/])s([^\w\s\\])(?:\\.|(?!\1)[\s\S])*\1(?:\\.|(?!\1)[\s\S])*\1[gpeiIM0-9]*w\s*\S/;
const AWK_WRITES = /\bprintf?\b[^;}\n]*>/;

/** Commands that overwrite files as a side effect, or files that only their input names. */
export const OUTPUT_HAZARDS: readonly HazardRow[] = [
  ...OUTPUT_FLAGS.map(
    ([name, [flag = "", long = ""]]): HazardRow => ({
      name,
      kind: "overwrites",
      flags: [[flag, long]],
      paths: "targets",
      hazard: OVERWRITES,
      exceptTemporary: true,
    }),
  ),
  {
    name: "curl",
    kind: "overwrites",
    flags: [["-O", "--remote-name", "--remote-name-all"]],
    notFlags: ["-J", "--remote-header-name", "--no-clobber", "--output-dir"],
    valueFlags: ["-H", "-d", "-X", "-u", "-A", "-e", "-b", "-c", "-m", "--retry", "--max-time", "--header", "--data"],
    paths: "downloads",
    hazard: "overwrites: {paths}",
  },
  {
    name: "curl",
    kind: "unforeseen",
    flags: [["-J", "--remote-header-name", "--output-dir"]],
    notFlags: ["--no-clobber"],
    hazard: "may overwrite a file that the server names",
  },
  {
    name: "wget",
    kind: "unforeseen",
    flags: [["-N", "--timestamping", "-r", "--recursive", "-m", "--mirror", "-x", "--content-disposition"]],
    notFlags: ["-nc", "--no-clobber", "-O"],
    hazard: "may overwrite files with those of a server",
  },
  ...["tar", "bsdtar", "gtar"].map(
    (name): HazardRow => ({
      name,
      kind: "unforeseen",
      flags: [["-x", "--extract", "--get"]],
      notFlags: ["-k", "--keep-old-files", "--skip-old-files", "-O", "--to-stdout", "-t", "--list"],
      bundledFirst: true,
      paths: "targets",
      exceptTemporary: true,
      hazard: UNPACKS,
    }),
  ),
  {
    name: "unzip",
    kind: "unforeseen",
    flags: [["-o"]],
    notFlags: ["-l", "-t", "-p", "-n"],
    paths: "targets",
    exceptTemporary: true,
    hazard: UNPACKS,
  },
  ...["7z", "7za", "7zz", "unrar", "jar"].map(
    (name): HazardRow => ({
      name,
      kind: "unforeseen",
      operand: /^(?:x|e|xf|xvf)$/,
      hazard: UNPACKS,
    }),
  ),
  {
    name: "cpio",
    kind: "unforeseen",
    flags: [["-i", "--extract", "-p", "--pass-through"]],
    hazard: UNPACKS,
  },
  {
    name: "patch",
    kind: "unforeseen",
    notFlags: ["--dry-run", "--version", "--help"],
    hazard: "changes the files that a patch names",
  },
  ...["sed", "gsed"].map(
    (name): HazardRow => ({
      name,
      kind: "unforeseen",
      operand: SED_WRITES,
      hazard: BY_PROGRAM,
    }),
  ),
  ...["awk", "gawk", "mawk", "nawk"].map(
    (name): HazardRow => ({
      name,
      kind: "unforeseen",
      operand: AWK_WRITES,
      hazard: BY_PROGRAM,
    }),
  ),
  ...["rename", "prename"].map(
    (name): HazardRow => ({
      name,
      kind: "unforeseen",
      notFlags: ["-n", "--no-act", "--help", "--version"],
      minOperands: 2,
      hazard: "may give files the names of others",
    }),
  ),
  {
    name: "sponge",
    kind: "overwrites",
    notFlags: ["-a"],
    minOperands: 1,
    paths: "operands",
    hazard: "overwrites: {paths}",
    exceptTemporary: true,
  },
  {
    name: "rsync",
    kind: "overwrites",
    minOperands: 2,
    notFlags: ["-n", "--dry-run", "--ignore-existing", "-b", "--backup", "--list-only"],
    valueFlags: ["-e", "--rsh", "--exclude", "--include", "--filter", "-f", "--files-from", "--backup-dir"],
    notOperand: /^[^/]+:[^:]*$/,
    paths: "last",
    through: true,
    hazard: "overwrites files in {target}",
    exceptTemporary: true,
  },
];
