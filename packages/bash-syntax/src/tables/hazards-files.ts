import type { HazardRow } from "../command-row.ts";
import type { HazardKind } from "../types.ts";

const DELETES = "deletes files: {paths}";
const OVERWRITES = "overwrites {target}";

const RSYNC_VALUES = ["-e", "--rsh", "--exclude", "--include", "--filter", "-f", "--files-from", "--backup-dir"];

const always = (name: string, kind: HazardKind, hazard: string): HazardRow => ({
  name,
  kind,
  hazard,
});

const disk = (name: string, hazard: string): HazardRow => ({
  ...always(name, "device", hazard),
  notFlags: ["-l", "--list", "--help", "--version"],
});

/** Files, disks and processes of this machine. */
export const FILE_HAZARDS: readonly HazardRow[] = [
  {
    name: "rm",
    kind: "deletes",
    paths: "operands",
    hazard: DELETES,
    exceptTemporary: true,
    notFlags: ["--help", "--version"],
  },
  {
    name: "rimraf",
    kind: "deletes",
    paths: "operands",
    hazard: DELETES,
    exceptTemporary: true,
  },
  {
    name: "unlink",
    kind: "deletes",
    paths: "operands",
    hazard: DELETES,
    exceptTemporary: true,
  },
  {
    name: "shred",
    kind: "deletes",
    paths: "operands",
    valueFlags: ["-n", "-s", "--iterations", "--size"],
    hazard: "destroys files: {paths}",
  },
  {
    name: "find",
    kind: "deletes",
    flags: [["-delete"]],
    paths: "starts",
    linkFlags: ["-L", "-follow"],
    hazard: "deletes the files found in {paths}",
    exceptTemporary: true,
  },
  {
    name: "find",
    kind: "deletes",
    flags: [["-delete"], ["-H", "-L", "-follow"]],
    paths: "starts",
    through: true,
    linkFlags: ["-L", "-follow"],
    hazard: "deletes the targets of links in {paths}",
    exceptTemporary: true,
  },
  {
    name: "rsync",
    kind: "deletes",
    flags: [["--remove-source-files"]],
    notFlags: ["--dry-run", "-n"],
    valueFlags: RSYNC_VALUES,
    paths: "but-last",
    hazard: "deletes files after copying them: {paths}",
  },
  {
    name: "rsync",
    kind: "deletes",
    flags: [
      [
        "--delete",
        "--del",
        "--delete-before",
        "--delete-during",
        "--delete-delay",
        "--delete-after",
        "--delete-excluded",
      ],
    ],
    notFlags: ["--dry-run", "-n"],
    valueFlags: RSYNC_VALUES,
    paths: "last",
    through: true,
    linkFlags: ["-K", "--keep-dirlinks"],
    hazard: "deletes files: {operands}",
  },
  {
    name: "truncate",
    kind: "overwrites",
    paths: "operands",
    valueFlags: ["-s", "-r", "--size", "--reference"],
    hazard: "empties or truncates files: {paths}",
    exceptTemporary: true,
  },
  {
    name: "dd",
    kind: "overwrites",
    operand: /^of=(?!\/dev\/)/,
    paths: "writes",
    hazard: "overwrites: {paths}",
    exceptTemporary: true,
  },
  {
    name: "dd",
    kind: "device",
    operand: /^of=\/dev\/(?!null$|stdout$|stderr$|fd\/|tty)/,
    hazard: "overwrites a device: {operands}",
  },
  {
    name: "tee",
    kind: "overwrites",
    paths: "operands",
    minOperands: 1,
    notFlags: ["-a", "--append", "--help", "--version"],
    hazard: "overwrites: {paths}",
    exceptTemporary: true,
    notOperand: /^\/dev\/(?:null|stdout|stderr|tty)$/,
  },
  ...["cp", "mv", "install"].map(
    (name): HazardRow => ({
      name,
      kind: "overwrites",
      paths: "writes",
      minOperands: 1,
      notFlags: ["-n", "--no-clobber", "-b", "--backup", "--help", "--version"],
      valueFlags: ["-t", "--target-directory", "-S", "--suffix", "-m", "-o", "-g"],
      hazard: OVERWRITES,
      exceptTemporary: true,
    }),
  ),
  {
    name: "ln",
    kind: "overwrites",
    flags: [["-f", "--force"]],
    paths: "writes",
    hazard: OVERWRITES,
  },
  ...["chmod", "chown", "chgrp", "chattr", "setfacl"].map(
    (name): HazardRow => ({
      name,
      kind: "ownership",
      flags: [["-R", "--recursive"]],
      paths: "but-first",
      linkFlags: ["-L"],
      hazard: "changes permissions recursively: {paths}",
      exceptTemporary: true,
    }),
  ),
  disk("mkfs", "formats a disk"),
  ...["mkfs.ext4", "mkfs.ext3", "mkfs.xfs", "mkfs.vfat", "mkfs.btrfs", "mkfs.fat", "mke2fs", "mkswap"].map((name) =>
    disk(name, "formats a disk"),
  ),
  disk("wipefs", "destroys file systems: {operands}"),
  ...["fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted"].map((name) =>
    disk(name, "changes a disk's partitions"),
  ),
  disk("blkdiscard", "discards a disk's data"),
  disk("lvremove", "removes a volume"),
  disk("vgremove", "removes a volume group"),
  disk("pvremove", "removes a physical volume"),
  {
    ...disk("cryptsetup", "changes an encrypted disk"),
    operand: /^(?:luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt)$/,
  },
  ...["zpool", "zfs"].map(
    (name): HazardRow => ({
      name,
      kind: "device",
      operand: /^(?:destroy|rollback|labelclear)$/,
      hazard: "destroys a file system's data",
    }),
  ),
  {
    name: "diskutil",
    kind: "device",
    operand: /^(?:erase|partition|zero|secureErase|reformat)/i,
    hazard: "erases a disk",
  },
  {
    name: "kill",
    kind: "processes",
    operand: /^-1$/,
    flags: [["-9", "-s", "-n", "-KILL", "-SIGKILL", "-15", "-TERM", "--"]],
    hazard: "ends every process",
  },
  {
    name: "kill",
    kind: "processes",
    operand: /^--$/,
    notOperand: /^(?!-1$)/,
    minOperands: 1,
    hazard: "ends every process",
  },
  ...["killall", "killall5", "pkill"].map(
    (name): HazardRow => ({
      name,
      kind: "processes",
      notFlags: ["--list", "--version", "-0", "--help"],
      hazard: "stops processes by name: {operands}",
    }),
  ),
  ...["shutdown", "reboot", "poweroff", "halt", "kexec"].map(
    (name): HazardRow => ({
      name,
      kind: "processes",
      notFlags: ["-c", "--help", "--show"],
      hazard: "stops the machine",
    }),
  ),
  {
    name: "init",
    kind: "processes",
    operand: /^[0156sS]$/,
    hazard: "changes what the machine runs",
  },
  ...["poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "rescue", "emergency"].map(
    (sub): HazardRow => ({
      name: "systemctl",
      sub: [sub],
      kind: "processes",
      hazard: "stops the machine",
    }),
  ),
  ...["stop", "disable", "mask", "kill", "isolate"].map(
    (sub): HazardRow => ({
      name: "systemctl",
      sub: [sub],
      kind: "processes",
      hazard: "stops services: {operands}",
    }),
  ),
  {
    name: "service",
    kind: "processes",
    operand: /^stop$/,
    hazard: "stops services: {operands}",
  },
  {
    name: "launchctl",
    kind: "processes",
    operand: /^(?:unload|bootout|remove|disable|kill|reboot)$/,
    hazard: "stops services: {operands}",
  },
  {
    name: "crontab",
    kind: "processes",
    flags: [["-r"]],
    hazard: "deletes all scheduled jobs",
  },
  {
    name: "userdel",
    kind: "deletes",
    target: "user",
    hazard: "deletes a user: {operands}",
  },
];
