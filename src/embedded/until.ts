import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until the answer is yes (true) or the time limit is reached (false). */
export async function until(
  condition: () => boolean | Promise<boolean>,
  milliseconds: number,
): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (!(await condition())) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
