/** The least that an Ink program can show: what the first paint of Quoll is held against. */
import { render, Text } from "ink";

render(<Text>hello</Text>);
// Stays, as Quoll does, to read keys.
process.stdin.setRawMode(true).resume();
