import { describe, expect, test } from 'vitest';
import { runGrantbook } from './run-grantbook.ts';

const id = '01JD0000000000000000000000';

describe.each([
  { args: ['organization', 'close', id], word: id },
  { args: ['addon', 'retire', id], word: id },
  { args: ['user', 'disable', id], word: id },
  { args: ['grant', 'revoke', id], word: id },
  { args: ['signals', 'delete', id], word: id },
  { args: ['keys', 'restore', 'package.json'], word: 'restore' },
  { args: ['kafka', 'dead-letters', 'resend', 'host.dead-letter/0/17'], word: 'resend' },
])('FX-36: $args', ({ args, word }) => {
  const codeOf = async (stdin: string, isTerminal: boolean, ...more: readonly string[]) => {
    const ran = await runGrantbook([...args, ...more, '--json'], { stdin, isTerminal });
    const { code } = ran.json['error'] as { readonly code: string };
    return [ran.exitCode, code, ran.stderr.includes(`Type ${word} to continue`)];
  };

  test('asks at a terminal, and without the right answer nothing is done', async () => {
    expect(await codeOf('yes\n', true)).toEqual([1, 'not-confirmed', true]);
    expect(await codeOf(`${word}\n`, true)).toEqual([1, 'not-reached', true]);
  });

  test('does not ask with --yes, or where nobody can answer', async () => {
    expect(await codeOf('', true, '--yes')).toEqual([1, 'not-reached', false]);
    expect(await codeOf('', false)).toEqual([1, 'not-reached', false]);
  });
});
