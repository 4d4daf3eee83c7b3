import { closeSync, lstatSync } from "node:fs";
import {
  CLOSE_RANGE,
  type KernelNumbers,
  LANDLOCK_ADD_RULE,
  LANDLOCK_CREATE_RULESET,
  LANDLOCK_RESTRICT_SELF,
  OPENAT2,
} from "./kernel-numbers.ts";
import { type LandlockAccess, type LandlockRule, MIN_LANDLOCK_VERSION } from "./landlock-plan.ts";
import { cString, type NativeCalls } from "./native-calls.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/** Rights on files and folders (linux/landlock.h), by the interface version that introduced them. */
const RIGHT = {
  execute: 1n << 0n,
  writeFile: 1n << 1n,
  readFile: 1n << 2n,
  readFolder: 1n << 3n,
  removeFolder: 1n << 4n,
  removeFile: 1n << 5n,
  makeCharacterDevice: 1n << 6n,
  makeFolder: 1n << 7n,
  makeFile: 1n << 8n,
  makeSocket: 1n << 9n,
  makeFifo: 1n << 10n,
  makeBlockDevice: 1n << 11n,
  makeLink: 1n << 12n,
  refer: 1n << 13n,
  truncate: 1n << 14n,
  controlDevice: 1n << 15n,
} as const;
const RIGHTS_OF_VERSION: readonly (readonly [version: number, rights: bigint])[] = [
  [1, (1n << 13n) - 1n],
  [2, RIGHT.refer],
  [3, RIGHT.truncate],
  [5, RIGHT.controlDevice],
];
const FILE_RIGHTS = RIGHT.execute | RIGHT.writeFile | RIGHT.readFile | RIGHT.truncate | RIGHT.controlDevice;
const READ = RIGHT.execute | RIGHT.readFile | RIGHT.readFolder;
/** All rights except creating devices. */
const CHANGE =
  RIGHT.writeFile |
  RIGHT.truncate |
  RIGHT.removeFolder |
  RIGHT.removeFile |
  RIGHT.makeFolder |
  RIGHT.makeFile |
  RIGHT.makeSocket |
  RIGHT.makeFifo |
  RIGHT.makeLink |
  RIGHT.refer;
const RIGHTS: Readonly<Record<LandlockAccess, bigint>> = {
  list: RIGHT.readFolder,
  read: READ,
  write: READ | CHANGE,
  device: RIGHT.readFile | RIGHT.readFolder | RIGHT.writeFile | RIGHT.truncate | RIGHT.controlDevice,
};

/** linux/landlock.h, linux/prctl.h, linux/openat2.h. */
const QUERY_VERSION = 1;
const RULE_PATH_BENEATH = 1;
const NET_TCP = 0b11n;
const SCOPES = 0b11n;
const PR_SET_SECCOMP = 22;
const SECCOMP_MODE_FILTER = 2;
const PR_CAPBSET_DROP = 24;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
const MAX_CAPABILITY = 63;
const CAPABILITY_VERSION_3 = 0x20080522;
const AT_FDCWD = -100;
const O_PATH = 0x200000n;
const O_CLOEXEC = 0x80000n;
const RESOLVE_NO_SYMLINKS = 0x04n;
const CLOSE_RANGE_CLOEXEC = 4;
const LAST_FD = 0xffff_ffff;
const SIGPIPE = 13;
const SIGXFSZ = 25;

/** The kernel's Landlock version; 0 when it is missing or switched off. */
export function landlockVersion(native: NativeCalls): number {
  return Math.max(0, native.call(LANDLOCK_CREATE_RULESET, 0, 0, QUERY_VERSION));
}

/**
 * Confines this thread and every program it executes, permanently: Landlock rights on files, no TCP and no signals to
 * the outside where the kernel supports that, a filter against sockets, no capabilities, no new privileges. All
 * descriptors except the first three close on execution.
 * @throws {Error} a step failed; nothing may be executed then.
 */
export function restrictSelf(native: NativeCalls, kernel: KernelNumbers, rules: readonly LandlockRule[]): void {
  const version = landlockVersion(native);
  if (version < MIN_LANDLOCK_VERSION)
    throw new Error(version === 0 ? "the kernel has no Landlock" : `the kernel's Landlock is too old (${version})`);
  const handled = RIGHTS_OF_VERSION.reduce((all, [since, rights]) => (version >= since ? all | rights : all), 0n);
  const ruleset = createRuleset(native, handled, version);
  for (const { path, access } of rules) {
    const fd = openPath(native, path, RESOLVE_NO_SYMLINKS);
    if (fd >= 0) addRule(native, { ruleset, fd, rights: rightsFor(path, access) & handled });
  }
  // Programs may reopen their output by name: /dev/stderr.
  for (const fd of [1, 2].map((output) => openPath(native, `/proc/self/fd/${output}`, 0n)))
    if (fd >= 0) addRule(native, { ruleset, fd, rights: (RIGHT.writeFile | RIGHT.truncate) & handled, mayFail: true });
  must(native.prctl(PR_SET_NO_NEW_PRIVS, 1), "no_new_privs");
  native.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  // The call fails for a process without capabilities, which is acceptable.
  for (let capability = 0; capability <= MAX_CAPABILITY; capability += 1) native.prctl(PR_CAPBSET_DROP, capability);
  must(native.call(LANDLOCK_RESTRICT_SELF, ruleset, 0), "landlock_restrict_self");
  dropCapabilities(native, kernel);
  native.resetSignal(SIGPIPE);
  native.resetSignal(SIGXFSZ);
  must(native.call(CLOSE_RANGE, 3, LAST_FD, CLOSE_RANGE_CLOEXEC), "close_range");
  const filter = seccompFilter(kernel, { refusesTruncate: version < 3 });
  const program = BigUint64Array.from([BigInt(filter.length / 8), BigInt(native.address(filter))]);
  must(native.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program), "seccomp");
}

function createRuleset(native: NativeCalls, handled: bigint, version: number): number {
  const attributes = BigUint64Array.from([handled, NET_TCP, SCOPES]);
  const bytes = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  return must(native.call(LANDLOCK_CREATE_RULESET, attributes, bytes, 0), "landlock_create_ruleset");
}

/** A link or a missing path gets no rights, which is the safe direction. */
function openPath(native: NativeCalls, path: string, resolve: bigint): number {
  const how = BigUint64Array.from([O_PATH | O_CLOEXEC, 0n, resolve]);
  return native.call(OPENAT2, AT_FDCWD, cString(path), how, how.byteLength);
}

/** Folder rights can't be given to a file. */
function rightsFor(path: string, access: LandlockAccess): bigint {
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? RIGHTS[access] : RIGHTS[access] & FILE_RIGHTS;
}

type Rule = { readonly ruleset: number; readonly fd: number; readonly rights: bigint; readonly mayFail?: boolean };

function addRule(native: NativeCalls, { ruleset, fd, rights, mayFail = false }: Rule): void {
  // struct landlock_path_beneath_attr is packed: 8 bytes of rights, 4 of descriptor.
  const attributes = new DataView(new ArrayBuffer(12));
  attributes.setBigUint64(0, rights, true);
  attributes.setInt32(8, fd, true);
  const added = native.call(LANDLOCK_ADD_RULE, ruleset, RULE_PATH_BENEATH, new Uint8Array(attributes.buffer), 0);
  closeSync(fd);
  if (!mayFail) must(added, "landlock_add_rule");
}

function dropCapabilities(native: NativeCalls, kernel: KernelNumbers): void {
  const header = Uint32Array.from([CAPABILITY_VERSION_3, 0]);
  must(native.call(kernel.capset, header, new Uint32Array(6)), "capset");
}

function must(result: number, step: string): number {
  if (result < 0) throw new Error(`${step} was refused by the kernel`);
  return result;
}
