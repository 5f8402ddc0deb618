import { randomFillSync } from 'node:crypto';

const block = Buffer.alloc(4096);
let at = block.length;

/** Random bytes for secrets and ids. They are drawn from the system in blocks, because each draw is a call; what was handed out is forgotten. */
export const drawBytes = (length: number): Buffer => {
  if (at + length > block.length) {
    randomFillSync(block);
    at = 0;
  }
  const drawn = Buffer.from(block.subarray(at, at + length));
  block.fill(0, at, at + length);
  at += length;
  return drawn;
};
