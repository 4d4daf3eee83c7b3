const MAX_NAMED = 3;

/**
 * The known names that are most similar to a mistyped name, the most similar first. A known name qualifies if at most a
 * third of its letters differ (ignoring case), or if one of the two names begins with the other.
 */
function nearestNames(name: string, known: Iterable<string>): readonly string[] {
  const wanted = name.toLowerCase();
  const scored: { candidate: string; distance: number }[] = [];
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    const isPrefix = wanted.length > 1 && (other.startsWith(wanted) || wanted.startsWith(other));
    const distance = editDistance(wanted, other);
    if (isPrefix || distance <= Math.max(1, Math.floor(other.length / 3))) scored.push({ candidate, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate));
  return scored.map(({ candidate }) => candidate);
}

/** The known name that is most similar to a mistyped name; undefined if none is similar. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  return nearestNames(name, known)[0];
}

/** A question with the most similar names, such as `Did you mean a or b?`; `otherwise` if no name is similar. */
export function didYouMean(
  name: string,
  known: Iterable<string>,
  otherwise = "",
  shown: (name: string) => string = (one) => one,
): string {
  const near = nearestNames(name, known).slice(0, MAX_NAMED).map(shown);
  return near.length > 0 ? `Did you mean ${near.join(" or ")}?` : otherwise;
}

/** Optimal string alignment distance: each insertion, deletion, change or swap of neighbours counts as one. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      current.push(best);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/**
 * One line for a person about a slash command that does not exist.
 * @param isSafe True in safe mode, which leaves out the commands of files.
 */
export function unknownCommandLine(name: string, known: Iterable<string>, isSafe = false): string {
  const others = `/help lists ${isSafe ? "the others" : "all commands"}.`;
  const hint = didYouMean(name, known, others, (one) => `/${one}`);
  if (isSafe) return `Safe mode has no command /${name}: commands of yours and of the project are off. ${hint}`;
  return `There is no command /${name}. ${hint}`;
}
