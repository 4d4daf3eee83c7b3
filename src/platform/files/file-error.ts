import { errorCode, errorMessage, ToolFailedError } from "../../contracts/errors.ts";

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `${path} does not exist.`,
  ENOTDIR: (path) => `A part of the path ${path} is a file, not a folder.`,
  EISDIR: (path) => `${path} is a folder.`,
  EACCES: (path) => `${path} may not be opened: the system refused it (permission denied).`,
  EPERM: (path) => `${path} may not be changed: the system refused it (operation not permitted).`,
  EROFS: (path) => `${path} lies on a read-only file system.`,
  ENOSPC: (path) => `${path} could not be written: the disk is full.`,
  EDQUOT: (path) => `${path} could not be written: the disk quota is used up.`,
  ELOOP: (path) => `${path} is a symbolic link that did not exist before, or links that form a circle.`,
  ENAMETOOLONG: (path) => `${path.slice(0, 200)}… is too long for a path.`,
  EBUSY: (path) => `${path} is in use by the system (a mount point?) and can't be replaced.`,
  EMFILE: (path) => `${path} could not be opened: too many files are open.`,
  ENXIO: (path) => `${path} is a socket or a device, not a file.`,
};

/** Converts a system error about a path to one plain line. Quoll's own errors pass through. */
export function fileError(error: unknown, path: string): Error {
  if (error instanceof ToolFailedError) return error;
  const code = errorCode(error);
  if (code === undefined) return error instanceof Error ? error : new Error(errorMessage(error));
  const reason = REASONS[code];
  return new ToolFailedError(reason ? reason(path) : `${path}: ${errorMessage(error)}.`, { cause: error });
}
