/** Variables that change how the shell finds, reads or runs later commands, or that compute their values. */
const SHELL_VARIABLE =
  /^(?:PATH|IFS|ENV|HOME|PWD|OLDPWD|CDPATH|FPATH|SHELL|SHELLOPTS|GLOBIGNORE|EXECIGNORE|FIGNORE|POSIXLY_CORRECT|PROMPT_COMMAND|PS[0-4]|OPTIND|OPTARG|OPTERR|REPLY|DIRSTACK|FUNCNAME|FUNCNEST|GROUPS|PIPESTATUS|COPROC|MAPFILE|RANDOM|SRANDOM|SECONDS|LINENO|HISTCMD|EPOCHSECONDS|EPOCHREALTIME|UID|EUID|PPID|TEXTDOMAIN|TEXTDOMAINDIR|INPUTRC|CHILD_MAX|TMOUT|MAIL(?:PATH|CHECK)?|HIST\w*|BASH\w*|LD_\w*|DYLD_\w*|COMP_\w*|COMPREPLY|READLINE_\w*)$/;

/**
 * Variables by which programs start another program or reach another server. Quoll exports some of them for every
 * command, and bash keeps an exported variable exported when a loop sets it.
 */
const PROGRAM_VARIABLE =
  /^(?:\w*(?:PAGER|EDITOR|ASKPASS|_proxy|_PROXY)|VISUAL|BROWSER|LESS\w*|NODE_OPTIONS|PERL5\w+|PYTHON\w+|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|MAKEFLAGS|GIT_(?:EXTERNAL_DIFF|PROXY_COMMAND|SSH\w*|DIR|WORK_TREE|EXEC_PATH|CONFIG\w*)|GCONV_PATH|DOCKER_(?:HOST|CONTEXT|CONFIG)|KUBECONFIG|AWS_ENDPOINT_URL\w*|GH_HOST)$/;

/** True for a variable whose new value may change which program a later command starts or which server it reaches. */
export function isProgramVariable(name: string): boolean {
  return PROGRAM_VARIABLE.test(name);
}

/** True for a variable of the shell itself, whose effect on later commands is unknown. */
export function isShellVariable(name: string): boolean {
  return SHELL_VARIABLE.test(name);
}
