/** The smallest Ink program, as the reference for Quoll's first paint. */
import { render, Text } from "ink";

render(<Text>hello</Text>);
// Keeps running to read keys, like Quoll.
process.stdin.setRawMode(true).resume();
