import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, expect, test } from 'vitest';
import { startServiceHere } from '../live-service.ts';

const mails: string[] = [];
/** How many recipients are refused for now. */
let greylisted = 0;
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo: (_address, _session, done) => {
    greylisted -= 1;
    if (greylisted < 0) done();
    else done(Object.assign(new Error('later'), { responseCode: 451 }));
  },
  onData: (stream, _session, done) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.on('end', () => {
      mails.push(text);
      done();
    });
  },
});
await new Promise<void>((ready) => smtp.listen(0, '127.0.0.1', ready));
const port = (smtp.server.address() as AddressInfo).port;
const service = await startServiceHere();
afterAll(() => new Promise<void>((closed) => smtp.close(closed)));

const chosen = 'a password that I chose';
const choose = async (link: string) => {
  const page = await (await fetch(link)).text();
  const token = /name="link" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const sent = await fetch(`${service.baseUrl}/choose-password`, {
    method: 'POST',
    body: new URLSearchParams({ link: token, password: chosen, again: chosen }),
  });
  return sent.status;
};

test('AM-01: an operator invites a person and resets a password by links, printed or sent by mail', async () => {
  const invite = ['user', 'invite', '--email', 'ida@example.com', '--name', 'Ida', '--reason', 'new here'];
  const before = Date.now();
  const invited = await service.runJson(invite);
  expect(invited).toMatchObject({ email: 'ida@example.com', name: 'Ida', state: 'enabled', mailed: null });
  const link = String(invited['link']);
  expect(link.startsWith(`${service.baseUrl}/choose-password?link=mkt_link_`)).toBe(true);
  const validFor = Date.parse(String(invited['expires_at'])) - before;
  expect(Math.abs(validFor - 24 * 3_600_000)).toBeLessThan(600_000);
  expect([await choose(link), await choose(link)]).toEqual([200, 404]);
  expect(await service.run([...invite, '--json'])).toMatchObject({
    exitCode: 1,
    json: { error: { code: 'email-taken' } },
  });

  const id = String(invited['user_id']);
  const withMail = { ...service.env, MAIL_URL: `smtp://127.0.0.1:${port}` };
  const reset = await service.run(['user', 'reset-password', id, '--json'], '', withMail);
  expect(reset.json).toMatchObject({ user_id: id, mailed: true, link: expect.stringContaining('mkt_link_') });
  expect(mails).toHaveLength(1);
  expect((mails[0] ?? '').replace(/=\r?\n/g, '').replaceAll('=3D', '=')).toContain(
    String(reset.json['link']),
  );
  const nobody = { ...service.env, MAIL_URL: 'smtp://ada:top-secret@127.0.0.1:1' };
  const failed = await service.run(['user', 'reset-password', id], '', nobody);
  expect([failed.exitCode, failed.stdout]).toEqual([
    0,
    expect.stringMatching(/mkt_link_.*The mail was not sent/s),
  ]);
  expect(failed.stdout + failed.stderr).not.toContain('top-secret');
  expect(await choose(String(reset.json['link']))).toBe(404); // replaced
  const doctor = await service.run(['doctor', '--json'], '', nobody);
  expect(JSON.stringify(doctor.json)).toMatch(/"check":"mail server","state":"failure"/);

  const unknown = ['user', 'reset-password', '01K9RZ3Q5V0000000000000009', '--json'];
  expect(await service.run(unknown)).toMatchObject({
    exitCode: 1,
    json: { error: { code: 'user-unknown' } },
  });
  expect((await service.run(['user', 'invite', '--name', 'Ida'])).exitCode).toBe(2);
  const { entries } = await service.runJson(['audit', 'timeline', '--user', id]);
  expect((entries as { type: string; why: string | null }[]).map(({ type, why }) => [type, why])).toEqual(
    expect.arrayContaining([
      ['AccountCreated', 'new here'],
      ['PasswordLinkIssued', 'new here'],
      ['PasswordSet', null],
    ]),
  );
});

test('FX-60: a command that ends tries once more to send a mail that was refused for now', async () => {
  const user = ['--email', 'ivo@example.com', '--name', 'Ivo', '--json'];
  const before = mails.length;
  greylisted = 1;
  const env = { ...service.env, MAIL_URL: `smtp://127.0.0.1:${port}` };
  const invited = await service.run(['user', 'invite', ...user], '', env);
  expect([invited.json['mailed'], mails.length - before]).toEqual([false, 1]);
});
