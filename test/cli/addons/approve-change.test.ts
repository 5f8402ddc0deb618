import { PassThrough, Readable } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { showChange } from '../../../src/tasks/addons/decide-changes.ts';
import { addAddonCommands } from '../../../src/cli/addons/addon.ts';
import { textFor } from '../../../src/cli/base/answer.ts';
import type { CliIo } from '../../../src/cli/base/cli-io.ts';
import type { Run } from '../../../src/cli/base/define.ts';
import type { Tasks } from '../../../src/cli/base/tasks.ts';

const addon = '01JD2C4Q6S8V0X2Z4B6D8F0H2K';
const change = '01JD5N7Q9S1V3X5Z7B9D1F3H5K';
const evil = 'https://evil.example/callback';
const revision = '4be1c6f2a0d94c3b8e57f1d2a6c09b73';
const shown = {
  ...showChange.answers?.example,
  revision,
  differences: [
    { field: 'redirect_uris', before: ['https://doors.example/a'], after: [evil], with_new_host: [evil] },
    { field: 'website', before: [], after: ['https://doors.example/'], with_new_host: [] },
  ],
};
const names = { '01JD0Z9X7V5T3R1P9N7L5K3J1H': 'Ada' };

describe('FX-94: addon change approve', () => {
  /** A service that shows the change, and keeps what is done. */
  const run = async (typed: string, isTerminal: boolean, ...more: readonly string[]) => {
    const performed: object[] = [];
    const tasks: Pick<Tasks, 'perform' | 'close'> = {
      perform: (_about, task, request) => {
        if (task.name !== 'show-change') performed.push({ task: task.name, ...request });
        if (request.input['revision'] === 'older')
          return Promise.resolve({ ok: false, refusal: 'changed-meanwhile', message: 'no', current: shown });
        return Promise.resolve({ ok: true, json: shown, text: '', names });
      },
      close: () => Promise.resolve(),
    };
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const stdin = Object.assign(Readable.from(typed === '' ? [] : [Buffer.from(typed)]), {
      isTTY: isTerminal,
    });
    const openTasks = () => Promise.resolve(tasks as Tasks);
    const io = { env: {}, stdin, stdout, stderr, openTasks } as Partial<CliIo> as CliIo;
    const program = new Command().exitOverride().configureOutput({ writeErr: (text) => stderr.write(text) });
    let ran: { exitCode: number; text: string; json?: unknown } = { exitCode: -1, text: '' };
    const collect: Run = async (action) => {
      const answer = await action(() => undefined);
      const text = textFor(Infinity, answer?.text ?? '');
      ran = { exitCode: answer?.exitCode ?? -1, text, json: answer?.json };
    };
    addAddonCommands(program, io, collect);
    for (const each of program.commands) each.copyInheritedSettings(program);
    const usage = await program.parseAsync(['addon', 'change', ...more], { from: 'user' }).then(
      () => null,
      (error: { readonly exitCode: number }) => error.exitCode,
    );
    return { ...ran, usage, stderr: String((stderr.read() as Buffer | null) ?? ''), performed };
  };
  const done = (revision: string) => [{ task: 'approve-change', id: addon, input: { change, revision } }];

  test('shows the change whole at a terminal, asks, and approves the revision that it has shown', async () => {
    const refused = await run('yes\n', true, 'approve', addon, change);
    expect([refused.exitCode, refused.performed]).toEqual([1, []]);
    const lines = refused.stderr.split('\n').map((line) => line.trim());
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^proposed by +Ada \(01JD0Z9X7V5T3R1P9N7L5K3J1H\)$/),
        'redirect URIs before  https://doors.example/a',
        `redirect URIs after   ${evil} (new host)`,
        'website before        none',
        'website after         https://doors.example/',
      ]),
    );
    expect((await run(`${change}\n`, true, 'approve', addon, change)).performed).toEqual(done(revision));
  });

  test('elsewhere approves only the revision that is given', async () => {
    const missing = await run('', false, 'approve', addon, change);
    expect([missing.usage, missing.performed]).toEqual([2, []]);
    expect(missing.stderr).toContain('pass --revision');
    for (const isTerminal of [false, true]) {
      const { performed, text } = await run('', isTerminal, 'approve', addon, change, '--revision', 'r1');
      expect(performed).toEqual(done('r1'));
      expect(text).toContain('proposed by');
    }
  });

  test('prints what it changes now, where that is not what was seen', async () => {
    const { exitCode, text, json } = await run('', false, 'approve', addon, change, '--revision', 'older');
    expect([exitCode, json]).toMatchObject([1, { error: { code: 'changed-meanwhile', current: shown } }]);
    expect(text).toContain(`after   ${evil} (new host)`);
  });

  test('is told what it changes by addon change show, too', async () => {
    expect((await run('', false, 'show', addon, change)).text).toContain(`after   ${evil} (new host)`);
  });
});
