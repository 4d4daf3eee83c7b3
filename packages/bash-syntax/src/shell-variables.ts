/** Variables that change how the shell finds, reads or runs later commands, or that compute their values. */
const SHELL_VARIABLE =
  /^(?:PATH|IFS|ENV|HOME|PWD|OLDPWD|CDPATH|FPATH|SHELL|SHELLOPTS|GLOBIGNORE|EXECIGNORE|FIGNORE|POSIXLY_CORRECT|PROMPT_COMMAND|PS[0-4]|OPTIND|OPTARG|OPTERR|REPLY|DIRSTACK|FUNCNAME|FUNCNEST|GROUPS|PIPESTATUS|COPROC|MAPFILE|RANDOM|SRANDOM|SECONDS|LINENO|HISTCMD|EPOCHSECONDS|EPOCHREALTIME|UID|EUID|PPID|TEXTDOMAIN|TEXTDOMAINDIR|INPUTRC|CHILD_MAX|TMOUT|MAIL(?:PATH|CHECK)?|HIST\w*|BASH\w*|LD_\w*|DYLD_\w*|COMP_\w*|COMPREPLY|READLINE_\w*)$/;

/** True for a variable of the shell itself, whose effect on later commands is unknown. */
export function isShellVariable(name: string): boolean {
  return SHELL_VARIABLE.test(name);
}
