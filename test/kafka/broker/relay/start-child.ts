import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { RelayPoint } from '../../../../src/kafka/relay/relay.ts';
import { untilWeDie } from '../../../support/servers/until-we-die.ts';
import type { RelayGround } from './open-relay.ts';

/** What happens to a relay when it comes to the point for the `nth` time. */
export type Fate = {
  readonly point: RelayPoint;
  readonly nth: number;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
};

export type RelayChild = {
  readonly child: ChildProcess;
  /** It has come to its point, and was killed or stopped there. */
  readonly there: Promise<void>;
  /** It leads no more, after it did. */
  readonly steppedDown: Promise<void>;
  readonly ended: Promise<unknown>;
};

/** A relay in a process of its own; it ends with the test at the latest. */
export const startChild = (ground: RelayGround, fate: Fate): RelayChild => {
  const orders = JSON.stringify({ ground, ...fate });
  const script = join(import.meta.dirname, 'children/relay.ts');
  const child = spawn(...untilWeDie(process.execPath, '--import', 'tsx', script, orders), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines = createInterface({ input: child.stdout });
  const said = (what: string) =>
    new Promise<void>((resolve) => lines.on('line', (line) => line === what && resolve()));
  return { child, there: said('there'), steppedDown: said('stepped down'), ended };
};
