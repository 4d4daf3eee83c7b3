/** Words that bash runs itself; a function with one of these names changes their effect. */
const BUILTINS = new Set(
  `. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable
   eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd
   read readarray readonly return set shift shopt source suspend test time times trap true type typeset ulimit umask
   unalias unset wait`.split(/\s+/),
);

export function isShellBuiltin(name: string): boolean {
  return BUILTINS.has(name);
}
