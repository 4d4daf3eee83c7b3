import { NotUnderstood } from "./not-understood.ts";

/** Variables that change how the shell itself finds, reads or runs what follows. */
const SHELL_VARIABLE =
  /^(?:PATH|IFS|ENV|HOME|PWD|OLDPWD|CDPATH|FPATH|SHELL|SHELLOPTS|GLOBIGNORE|EXECIGNORE|FIGNORE|POSIXLY_CORRECT|PROMPT_COMMAND|PS[0-4]|OPTIND|OPTARG|REPLY|DIRSTACK|HIST\w*|BASH\w*|LD_\w*|DYLD_\w*|COMP_\w*|READLINE_\w*)$/;

/** @throws {NotUnderstood} the name belongs to the shell. */
export function checkAssigned(name: string): void {
  if (SHELL_VARIABLE.test(name)) throw new NotUnderstood(`it sets ${name}, which changes how later commands run`, name);
}
