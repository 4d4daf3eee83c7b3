import { parseCommand } from "../../../protocol/commands/slash-commands.ts";
import { REVIEW_ROWS, rowsOf, shownQuestion } from "../layers/choice.ts";
import type { StackContext } from "../layers/layer-stack.ts";
import type { Choosing } from "../layers/open-question.ts";
import { COMMANDS_WAIT, namesCommand } from "../layers/question.ts";
import { meansYes } from "../layers/question-options.ts";
import { stay, type Ui } from "../layers/ui-state.ts";
import { key, pressed, type TakenLine, text } from "./press-keys.ts";

/**
 * Takes a line at the model's questions: numbers, the words of an option, or an own answer. A number without an option
 * and an empty line choose nothing, because the person hears no mark that they could accept.
 */
export function takeChoice(ui: Ui, choosing: Choosing, typed: string, context: StackContext): TakenLine {
  const line = typed.trim();
  if (choosing.writing && namesCommand(line, context)) return { ...stay(ui), says: COMMANDS_WAIT };
  if (choosing.writing) return pressed(ui, context, text(line), key("enter"));
  const asked = shownQuestion(choosing)?.asked;
  const count = asked ? rowsOf(asked).length : REVIEW_ROWS;
  const isMultiple = asked?.isMultiple === true;
  const hint = `Type ${isMultiple ? "numbers" : "a number"} from 1 to ${count}, then enter.`;
  if (line === "") return { ...stay(ui), says: `Nothing is chosen. ${hint}` };
  if (parseCommand(line)) return { ...stay(ui), says: `${COMMANDS_WAIT} ${hint}` };
  if (!asked && meansYes(line)) return pressed(ui, context, text("1"));
  const named = asked?.options.findIndex(({ label }) => label.trim().toLowerCase() === line.toLowerCase()) ?? -1;
  const numbers = named >= 0 ? [named + 1] : numbersIn(line);
  if (!numbers) return pressed(ui, context, text(line), key("enter"));
  const areKnown = numbers.every((number) => number >= 1 && number <= count);
  if (!areKnown || (numbers.length > 1 && !isMultiple)) return { ...stay(ui), says: hint };
  const [only = 0] = numbers;
  // The last rows open the line for own words.
  const isMarked = isMultiple && numbers.every((number) => number <= count - REVIEW_ROWS);
  if (isMarked)
    return pressed(ui, context, ...[...new Set(numbers)].map((number) => text(String(number))), key("enter"));
  return numbers.length > 1 ? { ...stay(ui), says: hint } : pressed(ui, context, text(String(only)));
}

/** The numbers of a line that has nothing else: `1`, `1 3`, `1, 3`. */
function numbersIn(line: string): readonly number[] | undefined {
  return /^\d+(?:[ ,]+\d+)*$/.test(line) ? line.split(/[ ,]+/).map(Number) : undefined;
}
