import type { CompletedCommand } from "./completion-tree.ts";

/** For bash 3.2 and newer. If no values are known, bash completes file names. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return `# bash completion of quoll: source <(quoll completion bash)
_quoll() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" words="" i
  # Bash splits --option=value at the sign.
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${paths.join("|")}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at|$prev" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$at" in
${commands.map(wordCase).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _quoll quoll
`;
}

function valueCases({ path, options, following }: CompletedCommand): readonly string[] {
  const after = Object.entries(following).map(
    ([word, values]) => `    "${path}|${word}") COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$cur")); return ;;`,
  );
  const ofOptions = options.flatMap(({ names, values }) => {
    if (!values) return [];
    const patterns = names.map((name) => `"${path}|${name}"`).join("|");
    return [`    ${patterns}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$cur")); return ;;`];
  });
  return [...after, ...ofOptions];
}

function wordCase({ path, options, commands, values, source }: CompletedCommand): string {
  const printed = source === undefined ? [] : [`$(${source} 2>/dev/null)`];
  const others = [...commands.map(({ word }) => word), ...values, ...printed].join(" ");
  const flags = options.flatMap(({ names }) => names).join(" ");
  return `    "${path}") if [[ $cur == -* ]]; then words="${flags}"; else words="${others}"; fi ;;`;
}
