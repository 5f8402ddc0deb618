import { afterAll, afterEach } from 'vitest';
import { wrongWaits } from './first-tier-rules.ts';
import { setUp } from './set-up.ts';

const judge = (atTheEnd: boolean): void => {
  const wrong = wrongWaits(atTheEnd);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
};
afterEach(() => judge(false));
afterAll(() => judge(true));

setUp();
