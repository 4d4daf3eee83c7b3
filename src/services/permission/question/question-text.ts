import { basename, sep } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { CommandRisk } from "../../../contracts/question.ts";
import type { Subject } from "../../../contracts/subject.ts";
import { namedFew } from "../../../contracts/words.ts";
import { decisive, describeCause } from "../judge/explain.ts";
import { describeHazards, type HazardAssessment } from "../judge/hazard-assessment.ts";
import type { Cause, Evaluation, Judgement } from "../judge/judgement.ts";

const NOT_YET = "You have not allowed it yet.";
const MAX_PATHS = 3;

/** The reason of a question as sentences. `isUsual`: nothing allows the call yet, and there is no other reason. */
type Reason = { readonly reason: string; readonly isUsual: boolean };

/**
 * The reasons for a question, as sentences for people, without duplicates. Facts that the dialog shows next to the
 * commands are omitted: hazards and parts that could not be parsed.
 * @param projectRoot Paths below it are shown relative to it.
 */
export function questionReason(evaluation: Evaluation, projectRoot: string, more: string | undefined): Reason {
  const asked = decisive(evaluation.judgements, "ask");
  const isOutsideAnyway = evaluation.confinementAfterYes === "none";
  const sentences = asked.flatMap((judgement) => sentenceOf(judgement, projectRoot, isOutsideAnyway));
  const outside = outsideSentence(asked, projectRoot);
  const all = [
    ...sentences,
    ...(outside === undefined ? [] : [outside]),
    ...(more === undefined ? [] : [sentence(more)]),
  ];
  const special = [...new Set(all)].filter((one) => one !== NOT_YET);
  // A reason of its own makes the usual one superfluous.
  return special.length > 0
    ? { reason: special.join(" "), isUsual: false }
    : { reason: all.length > 0 ? NOT_YET : "", isUsual: all.length > 0 };
}

function sentenceOf(judgement: Judgement, projectRoot: string, isOutsideAnyway: boolean): readonly string[] {
  const { subject } = judgement;
  const cause = rootCause(judgement.cause);
  const path =
    subject?.action === "write" || subject?.action === "read"
      ? shownPath(subject.inside ?? subject.path, projectRoot)
      : "it";
  switch (cause.kind) {
    case "uncovered":
      if (subject?.action !== "execute") return [NOT_YET];
      return [
        subject.unsaid || subject.awaitsTrust ? sentence(describeCause({ ...judgement, cause })) : NOT_YET,
        ...broughtBy(subject.brings),
      ];
    case "outside":
    case "unclear":
      return [NOT_YET];
    case "broad":
      return [NOT_YET, "The workspace is the home folder or above it."];
    case "rule":
      return [`The rule ${oneLine(cause.rule.text)} asks (${cause.rule.source}).`];
    case "protected":
      return [sentence(`${path} belongs to ${cause.what}: every write there needs your consent`)];
    case "secret":
      return [sentence(`${path} may hold secrets`)];
    case "network":
    case "beyond":
      return [networkSentence(judgement, cause, isOutsideAnyway)];
    case "leaves-sandbox":
      // The dialog already shows where the command would run.
      return isOutsideAnyway && !cause.forbidden ? [] : [sentence(describeCause({ ...judgement, cause }))];
    case "guard":
      return [`No backup is possible: ${cause.why}.`];
    default:
      return [sentence(describeCause({ ...judgement, cause }))];
  }
}

function networkSentence(
  judgement: Judgement,
  cause: Extract<Cause, { kind: "network" | "beyond" }>,
  isOutsideAnyway: boolean,
): string {
  if (cause.kind === "beyond" || cause.rule !== undefined) return sentence(describeCause({ ...judgement, cause }));
  if (judgement.subject?.action === "execute" && judgement.subject.needsEngine)
    return "The command needs the container engine, whose socket the sandbox closes.";
  // The dialog names the hosts that a yes opens in the sandbox.
  if (cause.hosts && !isOutsideAnyway) return "The command needs the network.";
  return cause.hosts
    ? `The command needs the network: ${cause.hosts.map((host) => oneLine(host)).join(", ")}.`
    : "The command needs the network, and the sandbox has none.";
}

function broughtBy(brings: readonly string[] = []): readonly string[] {
  if (brings.length === 0) return [];
  const names = brings.map((path) => oneLine(basename(path)));
  return [`The command checks out ${namedFew(names, MAX_PATHS)}, which the sandbox blocks.`];
}

/** Follows the decision of a mode back to the cause that the mode replaced. */
export function rootCause(cause: Cause): Cause {
  return cause.kind === "mode" && cause.instead ? rootCause(cause.instead) : cause;
}

function outsideSentence(asked: readonly Judgement[], projectRoot: string): string | undefined {
  const paths = new Set(
    asked.flatMap(({ subject, cause }) =>
      rootCause(cause).kind === "outside" && (subject?.action === "read" || subject?.action === "write")
        ? [shownPath(subject.inside ?? subject.path, projectRoot)]
        : [],
    ),
  );
  if (paths.size === 0) return undefined;
  return `${namedFew([...paths], MAX_PATHS)} ${paths.size > 1 ? "lie" : "lies"} outside the project.`;
}

/** True if the reason already says that no backup is possible, so that the hazards need not repeat it. */
export function saysNoBackup(evaluation: Evaluation): boolean {
  return decisive(evaluation.judgements, "ask").some(({ cause }) => rootCause(cause).kind === "guard");
}

/**
 * Each command with the data that it would destroy or publish; undefined for a single command, which needs no label.
 */
export function commandRisks(
  subjects: readonly Subject[],
  hazardAssessment: HazardAssessment | undefined,
): readonly CommandRisk[] | undefined {
  const commands = subjects.filter((subject) => subject.action === "execute");
  if (!hazardAssessment || commands.length < 2) return undefined;
  const rows = commands.flatMap((subject): CommandRisk[] => {
    const hazards = hazardAssessment.hazards.filter((hazard) => subject.hazards.includes(hazard));
    const risks = describeHazards({ ...hazardAssessment, hazards });
    return risks.length === 0 ? [] : [{ command: oneLine(subject.command), risks }];
  });
  const told = new Set(rows.flatMap(({ risks }) => risks));
  const others = describeHazards(hazardAssessment).filter((risk) => !told.has(risk));
  return [...rows, ...(others.length > 0 ? [{ command: "", risks: others }] : [])];
}

/** A path as shown to a person: relative inside the project. */
function shownPath(path: string, projectRoot: string): string {
  if (path === projectRoot) return ".";
  return oneLine(path.startsWith(projectRoot + sep) ? path.slice(projectRoot.length + 1) : path);
}

function sentence(text: string): string {
  const start = text.charAt(0);
  // Only a plain word is capitalised: a path or a command is shown unchanged.
  const isWord = /^[a-z]+[ ,:]/.test(text) && !text.startsWith("git ");
  return `${isWord ? start.toUpperCase() : start}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
