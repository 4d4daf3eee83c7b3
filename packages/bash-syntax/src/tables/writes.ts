import type { WriteRow } from "../command-row.ts";

/** Commands that plainly write (or remove) the files that they name. */
export const WRITE_ROWS: readonly WriteRow[] = [
  {
    name: "tee",
    operands: "all",
    matches: [
      ["tee -a a b", ["a", "b"]],
      ["sudo tee /etc/x", ["/etc/x"]],
    ],
  },
  {
    name: "touch",
    valueFlags: ["-d", "-r", "-t"],
    operands: "all",
    matches: [
      ["touch -r x a", ["a"]],
      ["touch -- -a", ["-a"]],
    ],
  },
  { name: "mkdir", valueFlags: ["-m"], operands: "all", matches: [["mkdir -p a/b c", ["a/b", "c"]]] },
  { name: "rmdir", operands: "all", matches: [["rmdir a", ["a"]]] },
  {
    name: "rm",
    operands: "all",
    matches: [
      ["rm -rf a b", ["a", "b"]],
      ["rm -- -x", ["-x"]],
      ["xargs rm a", ["a"]],
      ["find . -exec rm b {} +", ["b", "{}"]],
    ],
  },
  { name: "unlink", operands: "all", matches: [["unlink a", ["a"]]] },
  { name: "shred", valueFlags: ["-n", "-s"], operands: "all", matches: [["shred -n 3 a", ["a"]]] },
  { name: "truncate", valueFlags: ["-s", "-r"], operands: "all", matches: [["truncate -s 0 a", ["a"]]] },
  {
    name: "cp",
    targetFlags: ["-t", "--target-directory"],
    valueFlags: ["-S"],
    operands: "into",
    matches: [
      ["cp a b", ["b", "b/a"]],
      ["cp -r a/x b dir", ["dir", "dir/x", "dir/b"]],
      ["cp -t dir a", ["dir", "dir/a"]],
      ["cp --target-directory=dir a", ["dir", "dir/a"]],
      ["timeout 5 cp a b", ["b", "b/a"]],
    ],
  },
  {
    name: "install",
    targetFlags: ["-t", "--target-directory"],
    valueFlags: ["-m", "-o", "-g", "-S"],
    operands: "into",
    matches: [["install -m 755 a b", ["b", "b/a"]]],
  },
  {
    name: "mv",
    targetFlags: ["-t", "--target-directory"],
    valueFlags: ["-S"],
    operands: "into-and-from",
    matches: [
      ["mv a b", ["b", "b/a", "a"]],
      ["mv -t d a", ["d", "d/a", "a"]],
    ],
  },
  {
    name: "ln",
    targetFlags: ["-t", "--target-directory"],
    valueFlags: ["-S"],
    operands: "into",
    matches: [
      ["ln -s a b", ["b", "b/a"]],
      ["ln -sf /x/y .", [".", "./y"]],
    ],
  },
  {
    name: "rsync",
    valueFlags: ["-e", "--exclude", "--include", "--filter", "-f"],
    operands: "into",
    matches: [["rsync -a a b", ["b", "b/a"]]],
  },
  {
    name: "sed",
    needsFlag: ["-i", "--in-place"],
    valueFlags: ["-e", "-f", "--expression", "--file"],
    operands: "all",
    matches: [
      ["sed -i s/a/b/ f", ["s/a/b/", "f"]],
      ["sed -i.bak -e s/a/b/ f", ["f"]],
      ["sed -n 1p f", []],
    ],
  },
  {
    name: "perl",
    needsFlag: ["-i"],
    valueFlags: ["-e", "-pe", "-ne", "-I"],
    operands: "all",
    matches: [
      ["perl -i -pe s/a/b/ f", ["f"]],
      ["perl -pi -e s/a/b/ f", ["f"]],
    ],
  },
  { name: "dd", keyed: "of", operands: "none", matches: [["dd if=a of=b bs=1", ["b"]]] },
  {
    name: "sort",
    targetFlags: ["-o", "--output"],
    operands: "none",
    matches: [
      ["sort -o a b", ["a"]],
      ["sort --output=x b", ["x"]],
      ["sort -uo a b", ["a"]],
    ],
  },
  {
    name: "uniq",
    operands: "all-but-first",
    valueFlags: ["-f", "-s", "-w"],
    matches: [
      ["uniq a b", ["b"]],
      ["uniq -f 1 a", []],
    ],
  },
  {
    name: "curl",
    targetFlags: ["-o", "--output", "--output-dir", "-D", "--dump-header", "-c", "--cookie-jar"],
    operands: "none",
    matches: [
      ["curl -sSLo a x", ["a"]],
      ["curl -o a x", ["a"]],
    ],
  },
  {
    name: "wget",
    targetFlags: ["-O", "--output-document", "-P", "--directory-prefix", "-o"],
    operands: "none",
    matches: [
      ["wget -O a x", ["a"]],
      ["wget -qO a x", ["a"]],
    ],
  },
  { name: "tar", targetFlags: ["-C", "--directory"], operands: "none", matches: [["tar -x -f a.tgz -C out", ["out"]]] },
  { name: "unzip", targetFlags: ["-d"], operands: "none", matches: [["unzip a.zip -d out", ["out"]]] },
  { name: "tree", targetFlags: ["-o"], operands: "none", matches: [["tree -o a", ["a"]]] },
  {
    name: "chmod",
    operands: "all-but-first",
    matches: [
      ["chmod -R 755 a b", ["a", "b"]],
      ["chmod +x a", ["a"]],
    ],
  },
  { name: "chown", operands: "all-but-first", matches: [["chown u:g a", ["a"]]] },
  { name: "chgrp", operands: "all-but-first", matches: [["chgrp g a", ["a"]]] },
  { name: "git", sub: ["rm"], operands: "all", matches: [["git rm -f a", ["a"]]] },
  { name: "git", sub: ["mv"], operands: "into-and-from", matches: [["git mv a b", ["b", "b/a", "a"]]] },
  {
    name: "git",
    sub: ["restore"],
    valueFlags: ["-s", "--source"],
    operands: "all",
    matches: [["git restore -s HEAD a", ["a"]]],
  },
  {
    name: "git",
    sub: ["clone"],
    valueFlags: ["-b", "--branch", "--depth", "-o", "-c"],
    operands: "all-but-first",
    matches: [["git clone -b x url dir", ["dir"]]],
  },
  {
    name: "git",
    sub: ["worktree", "add"],
    valueFlags: ["-b", "-B"],
    operands: "all",
    matches: [["git worktree add ../x", ["../x"]]],
  },
];
