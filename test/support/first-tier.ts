import { afterAll, afterEach } from 'vitest';
import { wrongWaits } from './first-tier-rules.ts';

const judge = (atTheEnd: boolean): void => {
  const wrong = wrongWaits(atTheEnd);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
};
afterEach(() => judge(false));
afterAll(() => judge(true));
