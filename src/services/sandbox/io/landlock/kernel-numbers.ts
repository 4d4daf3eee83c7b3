/** The kernel's numbers on one architecture (`asm/unistd.h`, `linux/audit.h`). */
export type KernelNumbers = {
  /** `AUDIT_ARCH_*`: the value that a filter sees for a native system call. */
  readonly auditArch: number;
  /** Calls from here on belong to another ABI on the same processor (x32). */
  readonly foreignFrom: number | undefined;
  readonly ioctl: number;
  readonly socket: number;
  readonly truncate: number;
  readonly capset: number;
};

const NUMBERS: Readonly<Record<string, KernelNumbers>> = {
  x64: { auditArch: 0xc000003e, foreignFrom: 0x40000000, ioctl: 16, socket: 41, truncate: 76, capset: 126 },
  arm64: { auditArch: 0xc00000b7, foreignFrom: undefined, ioctl: 29, socket: 198, truncate: 45, capset: 91 },
};

/** @returns undefined for an unknown architecture. */
export function kernelNumbers(architecture: string): KernelNumbers | undefined {
  return NUMBERS[architecture];
}

/** System calls that are recent enough to have the same number on every architecture. */
export const IO_URING_SETUP = 425;
export const CLOSE_RANGE = 436;
export const OPENAT2 = 437;
export const LANDLOCK_CREATE_RULESET = 444;
export const LANDLOCK_ADD_RULE = 445;
export const LANDLOCK_RESTRICT_SELF = 446;
