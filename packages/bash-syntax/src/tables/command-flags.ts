/** Flags whose value is a command line. */
export type CommandFlagRow = {
  readonly name: string;
  /** Applies only with one of these words. */
  readonly sub?: readonly string[];
  readonly flags: readonly string[];
  /** True if the value is not a plain command line. */
  readonly isUnknown?: boolean;
};

/** Programs that are otherwise harmless and start the command that a flag names (GTFOBins lists many). */
export const COMMAND_FLAG_ROWS: readonly CommandFlagRow[] = [
  {
    name: "rg",
    flags: ["--pre", "--hostname-bin"],
  },
  {
    name: "sort",
    flags: ["--compress-program"],
  },
  {
    name: "split",
    flags: ["--filter"],
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
  },
  {
    name: "tar",
    flags: ["--checkpoint-action"],
    isUnknown: true,
  },
  {
    name: "rsync",
    flags: ["-e", "--rsh"],
  },
  {
    name: "man",
    flags: ["-P", "--pager", "-H"],
  },
  {
    name: "zip",
    flags: ["-TT", "--unzip-command"],
  },
  { name: "scp", flags: ["-S"] },
  { name: "scp", flags: ["-o"], isUnknown: true },
  { name: "sftp", flags: ["-S"] },
  {
    name: "fzf",
    flags: ["--preview", "--bind"],
    isUnknown: true,
  },
  { name: "tcpdump", flags: ["-z"] },
  {
    name: "wget",
    flags: ["--use-askpass"],
  },
  {
    name: "go",
    flags: ["-exec", "-toolexec", "--exec", "--toolexec"],
  },
  {
    name: "npx",
    flags: ["-c", "--call"],
  },
  {
    name: "npm",
    sub: ["exec", "x"],
    flags: ["-c", "--call"],
  },
  {
    name: "script",
    flags: ["-c", "--command"],
  },
  { name: "nc", flags: ["-e", "-c"] },
  {
    name: "ncat",
    flags: ["-e", "-c", "--exec", "--sh-exec"],
  },
  {
    name: "nix-shell",
    flags: ["--run", "--command"],
  },
  { name: "sg", flags: ["-c"] },
];
