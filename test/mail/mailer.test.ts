import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { mailReader } from '../../src/compose/write-side.ts';
import { makeDeliverLink } from '../../src/mail/deliver-link.ts';
import { makeMailer } from '../../src/mail/mailer.ts';

type Taken = { readonly from: string; readonly to: readonly string[]; readonly text: string };

const taken: Taken[] = [];
const greetings: string[] = [];
const user = { name: 'grantbook', password: 'p@ss word/1' };
const options: SMTPServerOptions = {
  disabledCommands: ['STARTTLS'],
  authOptional: true,
  onAuth: ({ username, password }, _session, done) =>
    username === user.name && password === user.password
      ? done(null, { user: username })
      : done(new Error(`no: ${password ?? ''}`)),
  onMailFrom: (_address, session, done) => {
    greetings.push(session.hostNameAppearsAs);
    done();
  },
  onRcptTo: ({ address }, _session, done) =>
    address.endsWith('@refused.example') ? done(new Error(`no ${address}`)) : done(),
  onData: (stream, session, done) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const { mailFrom, rcptTo } = session.envelope;
      taken.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        text: Buffer.concat(chunks).toString(),
      });
      done();
    });
  },
};
const server = new SMTPServer({ ...options, hideSMTPUTF8: false });
const withoutUtf8 = new SMTPServer({ ...options, hideSMTPUTF8: true });
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
const port = (server.server.address() as AddressInfo).port;
await new Promise<void>((ready) => withoutUtf8.listen(0, '127.0.0.1', ready));
const portWithoutUtf8 = (withoutUtf8.server.address() as AddressInfo).port;
beforeEach(() => void taken.splice(0));
afterAll(async () => {
  for (const each of [server, withoutUtf8]) await new Promise<void>((closed) => each.close(closed));
});

const from = 'Grantbook <grantbook@harbour.example>';
const mailerAt = (url: string) => makeMailer({ url, from, clientName: 'auth.harbour.example' });
const link = {
  kind: 'invitation',
  name: 'Zoë Ahoi',
  email: 'zoe@person.example',
  token: 'mkt_link_secret',
  expiresAt: Date.UTC(2026, 0, 2, 12),
} as const;
const address = 'https://auth.harbour.example/choose-password?link=mkt_link_secret';
const deliver = (url: string, about: Partial<{ kind: 'invitation' | 'reset'; email: string | null }> = {}) =>
  makeDeliverLink(mailerAt(url), 'https://auth.harbour.example', mailReader)({ ...link, ...about });
/** The mail's text as a person reads it. */
const readable = (text: string) =>
  Buffer.from(
    text
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString();

describe('mail', () => {
  test('AM-01: a link is sent in plain words, and is in the answer', async () => {
    expect(await deliver(`smtp://127.0.0.1:${port}`)).toEqual({ link: address, mailed: true, problem: null });
    const [mail] = taken;
    expect(mail).toMatchObject({ from: 'grantbook@harbour.example', to: ['zoe@person.example'] });
    const text = readable(mail?.text ?? '');
    expect(text).toContain('Hello Zoë Ahoi,');
    expect(text).toContain('You have an account at auth.harbour.example.');
    expect(text).toContain(address);
    expect(text).toContain('until 2 January 2026 at 12:00:00 UTC');
    expect(text).toMatch(/^Content-Type: text\/plain/m);
    await deliver(`smtp://127.0.0.1:${port}`, { kind: 'reset' });
    expect(readable(taken[1]?.text ?? '')).toContain('your password stays as it is');
  });

  test('PG-01: a mail names the platform, and where it is', async () => {
    const send = makeDeliverLink(
      mailerAt(`smtp://127.0.0.1:${port}`),
      'https://auth.harbour.example',
      mailReader,
      'Harbour',
    );
    await send({ ...link, language: 'de' });
    const text = readable(taken[0]?.text ?? '');
    expect(text).toContain('Subject: Ihr Konto bei Harbour (auth.harbour.example)');
    expect(text).toContain('Sie haben ein Konto bei Harbour (auth.harbour.example).');
  });

  test('FX-01: nothing is sent to an address that nobody vouches for', async () => {
    expect(await deliver(`smtp://127.0.0.1:${port}`, { email: null })).toEqual({
      link: address,
      mailed: false,
      problem: 'the e-mail address of the account is not verified',
    });
    expect(taken).toEqual([]);
  });

  test('FX-31: the greeting names the host, and an address that needs SMTPUTF8 goes to no server without it', async () => {
    await deliver(`smtp://127.0.0.1:${port}`);
    expect(greetings.at(-1)).toBe('auth.harbour.example');
    taken.splice(0);
    const url = `smtp://127.0.0.1:${portWithoutUtf8}`;
    expect(await deliver(url, { email: 'zoë@person.example' })).toMatchObject({
      mailed: false,
      problem: 'the mail server does not take addresses with characters outside ASCII (SMTPUTF8)',
    });
    expect((await deliver(url, { email: 'zoe@persön.example' })).mailed).toBe(true);
    expect((await deliver(`smtp://127.0.0.1:${port}`, { email: 'zoë@person.example' })).mailed).toBe(true);
    expect(taken.map(({ to }) => to)).toEqual([['zoe@persön.example'], ['zoë@person.example']]);
  });

  test('signs in with the user and the password of the URL', async () => {
    const credentials = `${user.name}:${encodeURIComponent(user.password)}`;
    const url = `smtp://${credentials}@127.0.0.1:${port}`;
    expect(await mailerAt(url).check()).toBeNull();
    expect((await deliver(url)).mailed).toBe(true);
    const wrong = await deliver(`smtp://${user.name}:top-secret@127.0.0.1:${port}`);
    expect(wrong).toMatchObject({ link: address, mailed: false });
    expect(wrong.problem).toMatch(/refused the user name or the password.* \(SMTP \d+\)$/);
    expect(wrong.problem).not.toContain('top-secret');
  });

  test('AM-01: a mail server that fails does not lose the link, and says why without a secret', async () => {
    const nobody = await deliver('smtp://127.0.0.1:1');
    expect(nobody).toMatchObject({ link: address, mailed: false });
    expect(nobody.problem).toMatch(/connection|reached/);
    const refused = await deliver(`smtp://127.0.0.1:${port}`, { email: 'ada@refused.example' });
    expect(refused).toMatchObject({ link: address, mailed: false });
    expect(refused.problem).toContain('refused');
    expect(refused.problem).not.toContain('ada@');
    const noTls = await deliver(`smtps://127.0.0.1:${port}`);
    expect(noTls.mailed).toBe(false);
    expect(taken).toEqual([]);
  });

  test('no name and no address becomes a header, or another recipient', async () => {
    const hostile = {
      ...link,
      name: 'Eve\r\nBcc: all@victims.example',
      email: 'eve@person.example, all@victims.example',
    };
    await makeDeliverLink(
      mailerAt(`smtp://127.0.0.1:${port}`),
      'https://auth.harbour.example',
      mailReader,
    )(hostile);
    expect(taken.flatMap(({ to }) => to).filter((to) => to === 'all@victims.example')).toEqual([]);
    expect(taken.filter(({ text }) => /^Bcc:/m.test(text.split('\r\n\r\n')[0] ?? ''))).toEqual([]);
  });

  test('without a mail server the link is only in the answer', async () => {
    const answer = await makeDeliverLink(null, 'https://auth.harbour.example', mailReader)(link);
    expect(answer).toEqual({ link: address, mailed: null, problem: null });
  });
});
