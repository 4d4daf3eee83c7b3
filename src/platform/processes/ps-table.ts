import { spawnSync } from "node:child_process";
import { entryHasTag, type ProcessRow, shortCommand } from "./process-row.ts";

const PS_TIMEOUT_MS = 5_000;
const PS_MAX_BYTES = 64 * 1024 * 1024;
/** `lstart` is five words: `Mon Nov 16 10:00:00 2026`. */
const ROW = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/;

/**
 * The process table where there is no /proc (macOS), as `ps` prints it. On macOS, `ps` prints the environment after
 * the command, for this user's processes only. A value with spaces can't be distinguished from the next entry, but a
 * tag of letters and digits contains no spaces.
 */
export function readPsTable(): readonly ProcessRow[] {
  const { stdout, status } = spawnSync("/bin/ps", ["axeww", "-o", "pid=,ppid=,pgid=,stat=,lstart=,command="], {
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
    timeout: PS_TIMEOUT_MS,
    maxBuffer: PS_MAX_BYTES,
  });
  return status === 0 ? parsePsTable(stdout) : [];
}

export function parsePsTable(text: string): readonly ProcessRow[] {
  return text.split("\n").flatMap((line) => {
    const [, pid, parentPid, groupId, state, startTime, command = ""] = ROW.exec(line) ?? [];
    if (pid === undefined || state === undefined || startTime === undefined) return [];
    return [
      {
        pid: Number(pid),
        parentPid: Number(parentPid),
        groupId: Number(groupId),
        startTime,
        isZombie: state.startsWith("Z"),
        command: () => shortCommand(command.replace(/ [A-Za-z_][A-Za-z0-9_]*=.*$/, "")),
        carries: (tag) => command.split(" ").some((entry) => entryHasTag(entry, tag)),
        isStarting: () => false,
      },
    ];
  });
}
