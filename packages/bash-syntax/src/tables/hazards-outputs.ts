import type { HazardRow } from "../command-row.ts";

const OVERWRITES = "overwrites {target}";
const UNPACKS = "may overwrite files with those of an archive";
const BY_PROGRAM = "writes the files that its program names";

/** For each of these programs, the flag that names the written file. */
const OUTPUT_FLAGS: readonly (readonly [name: string, flags: readonly string[], args: string])[] = [
  ["sort", ["-o", "--output"], "a"],
  ["curl", ["-o", "--output"], "https://x/y"],
  ["wget", ["-O", "--output-document"], "https://x/y"],
  ["shuf", ["-o", "--output"], "a"],
  ["iconv", ["-o", "--output"], "a"],
  ["base64", ["-o", "--output"], "a"],
  ["gpg", ["-o", "--output"], "-d a"],
  ["gpg2", ["-o", "--output"], "-d a"],
  ["age", ["-o", "--output"], "a"],
  ["xmllint", ["-o", "--output"], "a"],
  ["xsltproc", ["-o", "--output"], "a"],
];

/** sed: `w file` as a command, or as a flag of `s`. */
const SED_WRITES =
  /(?:^|[;{}\n])\s*(?:\d+|\$|\/[^/\n]*\/|[,\s!])*[wW]\s+\S|(?:^|[;{}\n\s\d$/])s([^\w\s\\])(?:\\.|(?!\1)[\s\S])*\1(?:\\.|(?!\1)[\s\S])*\1[gpeiIM0-9]*w\s*\S/;
const AWK_WRITES = /\bprintf?\b[^;}\n]*>/;

/** Commands that overwrite files as a side effect, or files that only their input names. */
export const OUTPUT_HAZARDS: readonly HazardRow[] = [
  ...OUTPUT_FLAGS.map(
    ([name, [flag = "", long = ""], args]): HazardRow => ({
      name,
      kind: "overwrites",
      flags: [[flag, long]],
      paths: "targets",
      hazard: OVERWRITES,
      exceptTemporary: true,
      matches: [`${name} ${flag} out ${args}`, `${name} ${long}=out ${args}`, `${name} "$x" ${flag} out`],
      misses: [`${name} ${args}`, `${name} ${flag} /tmp/out ${args}`, `${name} ${flag} /tmp/out "$x"`],
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
    matches: ["curl -O https://x/y", "curl -sSLO https://x/a/b.zip?c=d"],
    misses: ["curl https://x/y", "curl -O --no-clobber https://x/y"],
  },
  {
    name: "curl",
    kind: "unforeseen",
    flags: [["-J", "--remote-header-name", "--output-dir"]],
    notFlags: ["--no-clobber"],
    hazard: "may overwrite a file that the server names",
    matches: ["curl -OJ https://x/y"],
    misses: ["curl -O https://x/y"],
  },
  {
    name: "wget",
    kind: "unforeseen",
    flags: [["-N", "--timestamping", "-r", "--recursive", "-m", "--mirror", "-x", "--content-disposition"]],
    notFlags: ["-nc", "--no-clobber", "-O"],
    hazard: "may overwrite files with those of a server",
    matches: ["wget -N https://x/y", "wget -r https://x"],
    misses: ["wget https://x/y"],
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
      matches: [`${name} xf a.tar`, `${name} -xzf a.tgz`, `${name} --extract -f a`],
      misses: [`${name} tf a.tar`, `${name} czf x.tgz a`, `${name} xOf a.tar b`, `${name} xkf a.tar`],
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
    matches: ["unzip -o a.zip", "unzip -qo a.zip -d d"],
    misses: ["unzip a.zip", "unzip -o a.zip -d /tmp/x"],
  },
  ...["7z", "7za", "7zz", "unrar", "jar"].map(
    (name): HazardRow => ({
      name,
      kind: "unforeseen",
      operand: /^(?:x|e|xf|xvf)$/,
      hazard: UNPACKS,
      matches: [`${name} ${name === "jar" ? "xf" : "x -y"} a`],
      misses: [`${name} l a`],
    }),
  ),
  {
    name: "cpio",
    kind: "unforeseen",
    flags: [["-i", "--extract", "-p", "--pass-through"]],
    hazard: UNPACKS,
    matches: ["cpio -idu", "cpio --extract"],
    misses: ["cpio -o"],
  },
  {
    name: "patch",
    kind: "unforeseen",
    notFlags: ["--dry-run", "--version", "--help"],
    hazard: "changes the files that a patch names",
    matches: ["patch -p1", "patch -p1 -i x.patch", "patch a x.patch"],
    misses: ["patch --dry-run -p1"],
  },
  ...["sed", "gsed"].map(
    (name): HazardRow => ({
      name,
      kind: "unforeseen",
      operand: SED_WRITES,
      hazard: BY_PROGRAM,
      matches: [
        `${name} -n 'w out' a`,
        `${name} 's/a/b/w out' a`,
        `${name} -e '/x/ w out' a`,
        `${name} 's|a|b|gw out'`,
      ],
      misses: [`${name} 's/a/w b/' a`, `${name} -n 5p src/web.ts`, `${name} -i s/a/b/ w`],
    }),
  ),
  ...["awk", "gawk", "mawk", "nawk"].map(
    (name): HazardRow => ({
      name,
      kind: "unforeseen",
      operand: AWK_WRITES,
      hazard: BY_PROGRAM,
      matches: [`${name} '{print > "out"}' a`, `${name} 'BEGIN { printf "%d", 1 >> "out" }'`],
      misses: [`${name} '$1 > 5' a`, `${name} '{ print $1 }' a`],
    }),
  ),
  ...["rename", "prename"].map(
    (name): HazardRow => ({
      name,
      kind: "unforeseen",
      notFlags: ["-n", "--no-act", "--help", "--version"],
      minOperands: 2,
      hazard: "may give files the names of others",
      matches: [`${name} s/a/b/ x`],
      misses: [`${name} -n s/a/b/ x`],
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
    matches: ["sponge a"],
    misses: ["sponge -a a", "sponge /tmp/a"],
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
    matches: ["rsync -a a/ b"],
    misses: ["rsync -an a b", "rsync -a a host:b", "rsync -a a /tmp/x"],
  },
];
