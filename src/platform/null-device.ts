import { fstatSync, statSync } from "node:fs";
import { devNull } from "node:os";

/** True if a descriptor is open on the null device, which gives no input. */
export function isNullDevice(descriptor: number): boolean {
  try {
    const { rdev } = fstatSync(descriptor);
    const nothing = statSync(devNull);
    return nothing.isCharacterDevice() && rdev !== 0 && rdev === nothing.rdev;
  } catch {
    return false;
  }
}
