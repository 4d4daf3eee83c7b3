import type { NotificationForm } from "../../../contracts/terminal-settings.ts";

const ESC = "\u001b";
const BEL = "\u0007";
const ST = `${ESC}\\`;

/**
 * The sequence for a desktop notification; empty for `off`. OSC 9 is the form of iTerm2, OSC 777 that of rxvt-unicode,
 * OSC 99 that of kitty ("Desktop notifications" in its documentation).
 * @param title One line that is safe to print, like `text`.
 * @param through The multiplexer around the program: tmux passes a sequence on if `allow-passthrough` is on, screen always.
 */
export function notificationSequence(
  form: NotificationForm,
  { title, text }: { readonly title: string; readonly text: string },
  through?: "tmux" | "screen",
): string {
  const sequence = plainSequence(form, title, text);
  if (sequence === "" || through === undefined) return sequence;
  if (through === "screen") return `${ESC}P${sequence}${ST}`;
  return `${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ST}`;
}

function plainSequence(form: NotificationForm, title: string, text: string): string {
  switch (form) {
    case "osc9":
      return `${ESC}]9;${title} ${text}${BEL}`;
    case "osc777":
      // A semicolon would end the title.
      return `${ESC}]777;notify;${title.replaceAll(";", ",")};${text.replaceAll(";", ",")}${BEL}`;
    case "osc99":
      return `${ESC}]99;i=quoll:d=0;${title}${BEL}${ESC}]99;i=quoll:d=1:p=body;${text}${BEL}`;
    case "off":
      return "";
  }
}
