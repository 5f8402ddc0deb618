import { PassThrough, Readable } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { organizations } from '../../../src/tasks/organizations.ts';
import { users } from '../../../src/tasks/users.ts';
import { addEntityCommands } from '../../../src/cli/entity-commands.ts';
import type { Run } from '../../../src/cli/base/define.ts';
import type { Tasks } from '../../../src/cli/base/tasks.ts';
import type { CliIo } from '../../../src/cli/base/cli-io.ts';

const id = '01JD0Z9X7V5T3R1P9N7L5K3J1H';
const organization = '01JD1A3C5E7G9J1M3P5R7T9W1Y';
const email = 'ada@example.com';

/** A service that knows Ada, whose address nobody vouches for, and keeps what is done. */
const withAda = () => {
  const performed: { readonly id: string; readonly input: object }[] = [];
  const json = { user_id: id, name: 'Ada', email, email_verified: false };
  const tasks: Pick<Tasks, 'show' | 'perform' | 'close'> = {
    show: (about) => Promise.resolve({ ok: true, value: about.name === 'user' ? { json, names: {} } : null }),
    perform: (_about, _task, request) => {
      performed.push(request);
      return Promise.resolve({ ok: true, json: {}, text: '', names: {} });
    },
    close: () => Promise.resolve(),
  };
  return { performed, openTasks: () => Promise.resolve(tasks as Tasks) };
};

describe.each([
  { args: ['user', 'grant-role', email, '--role', 'operator'], done: { id, input: { role: 'operator' } } },
  ...['add-administrator', 'add-auditor'].map((task) => ({
    args: ['organization', task, '--organization', organization, '--user', email],
    done: { id: organization, input: { user: id } },
  })),
])('FX-85: $args', ({ args, done }) => {
  const run = async (stdin: string, isTerminal: boolean, ...more: readonly string[]) => {
    const { performed, openTasks } = withAda();
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const typed = Object.assign(Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]), {
      isTTY: isTerminal,
    });
    const io = { env: {}, stdin: typed, stdout, stderr, openTasks } as Partial<CliIo> as CliIo;
    const program = new Command();
    let exitCode = -1;
    const collect: Run = async (action) => {
      exitCode = (await action(() => undefined))?.exitCode ?? -1;
    };
    for (const about of [users, organizations])
      addEntityCommands(program.command(about.name), about, io, collect);
    await program.parseAsync([...args, ...more], { from: 'user' });
    return { exitCode, stderr: String((stderr.read() as Buffer | null) ?? ''), performed };
  };

  test('says at a terminal who it is before it is done, and is done to whom it has said', async () => {
    const refused = await run('yes\n', true);
    expect([refused.exitCode, refused.performed]).toEqual([1, []]);
    expect(refused.stderr).toContain(`to Ada, ${email} (not verified), ${id}.`);
    expect((await run(`${email}\n`, true)).performed).toEqual([done]);
  });

  test('asks nothing with --yes, and where nobody can answer', async () => {
    for (const [isTerminal, more] of [
      [true, ['--yes']],
      [false, []],
    ] as const) {
      const ran = await run('', isTerminal, ...more);
      expect([ran.exitCode, ran.stderr, ran.performed.length]).toEqual([0, '', 1]);
    }
  });
});
