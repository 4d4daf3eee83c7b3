/**
 * Takes back the modes of the screen: kitty's and xterm's keys, bracketed paste and reports of colours and focus off, and
 * resets for an interrupted frame: synchronised output off, cursor shown, styles off. The last one also undoes what a
 * terminal without xterm's keys makes of their code.
 */
export const LEAVE_SCREEN =
  "\u001b[<u\u001b[>4m\u001b[?2004l\u001b[?2031l\u001b[?1004l\u001b[?2026l\u001b[?25h\u001b[0m";
