/** Variables that change how the shell itself finds, reads or runs what follows, or that compute what they are given. */
const SHELL_VARIABLE =
  /^(?:PATH|IFS|ENV|HOME|PWD|OLDPWD|CDPATH|FPATH|SHELL|SHELLOPTS|GLOBIGNORE|EXECIGNORE|FIGNORE|POSIXLY_CORRECT|PROMPT_COMMAND|PS[0-4]|OPTIND|OPTARG|OPTERR|REPLY|DIRSTACK|FUNCNAME|FUNCNEST|GROUPS|PIPESTATUS|COPROC|MAPFILE|RANDOM|SRANDOM|SECONDS|LINENO|HISTCMD|EPOCHSECONDS|EPOCHREALTIME|UID|EUID|PPID|TEXTDOMAIN|TEXTDOMAINDIR|INPUTRC|CHILD_MAX|TMOUT|MAIL(?:PATH|CHECK)?|HIST\w*|BASH\w*|LD_\w*|DYLD_\w*|COMP_\w*|COMPREPLY|READLINE_\w*)$/;

/** True for a variable of the shell itself, whose effect on later commands is unknown. */
export function isShellVariable(name: string): boolean {
  return SHELL_VARIABLE.test(name);
}
