import { expect, test } from "bun:test";
import { isUsable } from "../../scripts/memory-folder.ts";

const GIGABYTE = 1024 ** 3;
const mounted = (options: string) => `/dev/vda / ext4 rw 0 0\ntmpfs /dev/shm tmpfs ${options} 0 0\n`;

test.each([
  ["there is room for the files of the tests", mounted("rw,nosuid"), 8 * GIGABYTE, true],
  ["programs can't be run there, as in many containers", mounted("rw,noexec"), 8 * GIGABYTE, false],
  ["it is as small as containers have it", mounted("rw"), GIGABYTE / 16, false],
  ["there is none", "/dev/vda / ext4 rw 0 0\n", 8 * GIGABYTE, false],
])("shared memory takes the temporary files of the tests if %s: %#", (_, mounts, free, expected) => {
  expect(isUsable(mounts, free)).toBe(expected);
});
