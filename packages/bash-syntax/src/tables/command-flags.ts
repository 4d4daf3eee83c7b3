/** Flags whose value is a command line. */
export type CommandFlagRow = {
  readonly name: string;
  /** Applies only with one of these words. */
  readonly sub?: readonly string[];
  readonly flags: readonly string[];
  /** True if the value is not a plain command line. */
  readonly isUnknown?: boolean;
  readonly matches: readonly (readonly [source: string, inner: readonly string[]])[];
  readonly unknowns: readonly string[];
};

/** Programs that are otherwise harmless and start the command that a flag names (GTFOBins lists many). */
export const COMMAND_FLAG_ROWS: readonly CommandFlagRow[] = [
  {
    name: "rg",
    flags: ["--pre", "--hostname-bin"],
    matches: [["rg --pre ./x foo", ["./x"]]],
    unknowns: ["rg --pre=$x foo"],
  },
  {
    name: "sort",
    flags: ["--compress-program"],
    matches: [["sort --compress-prog=./x a", ["./x"]]],
    unknowns: ["sort --compress-program $x a"],
  },
  {
    name: "split",
    flags: ["--filter"],
    matches: [["split --filter='rm x' a", ["rm x"]]],
    unknowns: ["split --filter $x"],
  },
  {
    name: "tar",
    flags: [
      "--to-command",
      "--use-compress-program",
      "-I",
      "--info-script",
      "--new-volume-script",
      "-F",
      "--rsh-command",
      "--rmt-command",
    ],
    matches: [["tar xf a --to-command='rm x'", ["rm x"]]],
    unknowns: ["tar cf a --to-command=$x b"],
  },
  {
    name: "tar",
    flags: ["--checkpoint-action"],
    isUnknown: true,
    matches: [],
    unknowns: ["tar cf a --checkpoint=1 --checkpoint-action=exec=sh b"],
  },
  {
    name: "rsync",
    flags: ["-e", "--rsh"],
    matches: [["rsync -e 'ssh -p 1' a b:c", ["ssh -p 1"]]],
    unknowns: ["rsync -e $x a b:c"],
  },
  {
    name: "man",
    flags: ["-P", "--pager", "-H"],
    matches: [["man -P 'rm x' ls", ["rm x"]]],
    unknowns: ["man -P $x ls"],
  },
  {
    name: "zip",
    flags: ["-TT", "--unzip-command"],
    matches: [["zip a b -TT 'rm x'", ["rm x"]]],
    unknowns: ["zip -TT $x"],
  },
  { name: "scp", flags: ["-S"], matches: [["scp -S ./x a b:c", ["./x"]]], unknowns: ["scp -S $x a b:c"] },
  { name: "scp", flags: ["-o"], isUnknown: true, matches: [], unknowns: ["scp -o ProxyCommand=x a b:c"] },
  { name: "sftp", flags: ["-S"], matches: [["sftp -S ./x a", ["./x"]]], unknowns: ["sftp -S $x a"] },
  {
    name: "fzf",
    flags: ["--preview", "--bind"],
    isUnknown: true,
    matches: [],
    unknowns: ["fzf --preview 'rm x'", "fzf --bind 'enter:execute(rm x)'"],
  },
  { name: "tcpdump", flags: ["-z"], matches: [["tcpdump -z ./x", ["./x"]]], unknowns: ["tcpdump -z $x"] },
  {
    name: "wget",
    flags: ["--use-askpass"],
    matches: [["wget --use-askpass=./x u", ["./x"]]],
    unknowns: ["wget --use-askpass $x"],
  },
  {
    name: "go",
    flags: ["-exec", "-toolexec", "--exec", "--toolexec"],
    matches: [["go test -exec ./x a", ["./x"]]],
    unknowns: ["go build -toolexec $x"],
  },
  {
    name: "npx",
    flags: ["-c", "--call"],
    matches: [["npx -c 'rm x'", ["rm x"]]],
    unknowns: ["npx -c $x"],
  },
  {
    name: "npm",
    sub: ["exec", "x"],
    flags: ["-c", "--call"],
    matches: [["npm exec -c 'rm x'", ["rm x"]]],
    unknowns: ["npm exec -c $x"],
  },
  {
    name: "script",
    flags: ["-c", "--command"],
    matches: [["script -c 'rm x' out", ["rm x"]]],
    unknowns: ["script -c $x out"],
  },
  { name: "nc", flags: ["-e", "-c"], matches: [["nc -e ./x host 1", ["./x"]]], unknowns: ["nc -e $x host 1"] },
  {
    name: "ncat",
    flags: ["-e", "-c", "--exec", "--sh-exec"],
    matches: [["ncat -e ./x h 1", ["./x"]]],
    unknowns: ["ncat -c $x h"],
  },
  {
    name: "nix-shell",
    flags: ["--run", "--command"],
    matches: [["nix-shell --run 'rm x'", ["rm x"]]],
    unknowns: ["nix-shell --run $x"],
  },
  { name: "sg", flags: ["-c"], matches: [["sg g -c 'rm x'", ["rm x"]]], unknowns: ["sg g -c $x"] },
];
