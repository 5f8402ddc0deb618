import { expect, test } from 'vitest';
import { tellFederated } from '../../demo/federated/tell-federated.ts';

test('FE-04, FE-06: the demo with a provider tells of a role that comes and goes, and of a logout there', async () => {
  const lines: string[] = [];
  const isTrue = await tellFederated(process.env, (line) => lines.push(line));
  expect(lines.join('\n')).toContain('the role went with the claim');
  expect(lines.join('\n')).not.toContain('failed');
  expect(isTrue).toBe(true);
});
