import { once } from 'node:events';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { makeCertificates } from '../support/servers/certificates.ts';
import { mailReader } from '../../src/compose/write-side.ts';
import { makeDeliverLink } from '../../src/mail/deliver-link.ts';
import { makeMailer } from '../../src/mail/mailer.ts';
import { makePost } from '../../src/mail/post.ts';

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
const mailerAt = (url: string, ca: string | null = null) =>
  makeMailer({ url, from, clientName: 'auth.harbour.example', ca });
type Warned = { readonly problem: string; readonly again: boolean };
/** What a post did and will do: the tries that wait are made by `next`. */
const postAt = (url: string, ca: string | null = null) => {
  const warned: Warned[] = [];
  const waits: { readonly ms: number; readonly call: () => void; isOff: boolean }[] = [];
  const post = makePost({
    mailer: mailerAt(url, ca),
    logger: { warn: (fields: Warned) => void warned.push(fields) } as never,
    now: () => 1_000,
    after: (ms, call) => {
      const wait = { ms, call, isOff: false };
      waits.push(wait);
      return () => void (wait.isOff = true);
    },
  });
  return { ...post, warned, waits };
};
const link = {
  kind: 'invitation',
  name: 'Zoë Ahoi',
  email: 'zoe@person.example',
  token: 'mkt_link_secret',
  expiresAt: Date.UTC(2026, 0, 2, 12),
} as const;
const address = 'https://auth.harbour.example/choose-password?link=mkt_link_secret';
const deliver = (url: string, about: Partial<{ kind: 'invitation' | 'reset'; email: string | null }> = {}) =>
  makeDeliverLink(postAt(url), 'https://auth.harbour.example', mailReader)({ ...link, ...about });
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
      postAt(`smtp://127.0.0.1:${port}`),
      'https://auth.harbour.example',
      mailReader,
      { name: 'Harbour', accent: null },
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

  test('FX-90: a person is told of a token that somebody else made, without the token', async () => {
    const told = { ...link, kind: 'token', token: null } as const;
    const send = makeDeliverLink(
      postAt(`smtp://127.0.0.1:${port}`),
      'https://auth.harbour.example',
      mailReader,
    );
    for (const language of ['en', 'de']) await send({ ...told, language });
    const [english, german] = taken.map(({ text }) => readable(text));
    expect(english).toContain('Subject: A token for your account at auth.harbour.example');
    expect(english).toContain('until 2 January 2026 at 12:00:00 UTC');
    expect(english).toContain('https://auth.harbour.example/account');
    expect(german).toContain('hat ein Administrator-Token für Ihr Konto bei auth.harbour.example erstellt');
    expect(`${english} ${german}`).not.toMatch(/password|Passwort/);
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
      postAt(`smtp://127.0.0.1:${port}`),
      'https://auth.harbour.example',
      mailReader,
    )(hostile);
    expect(taken.flatMap(({ to }) => to).filter((to) => to === 'all@victims.example')).toEqual([]);
    expect(taken.filter(({ text }) => /^Bcc:/m.test(text.split('\r\n\r\n')[0] ?? ''))).toEqual([]);
  });

  test('PG-01: the HTML part has the name and the colour of the platform; without a brand, the host and our own', async () => {
    const accent = { color: '#b4501e', onColor: '#ffffff' };
    const post = postAt(`smtp://127.0.0.1:${port}`);
    const brand = { name: 'Harbour & Sons', accent };
    await makeDeliverLink(post, 'https://auth.harbour.example', mailReader, brand)(link);
    const branded = readable(taken[0]?.text ?? '');
    expect(branded).toContain('>Harbour &#38; Sons</p>');
    expect(branded).toContain('background:#b4501e;color:#ffffff');
    await deliver(`smtp://127.0.0.1:${port}`);
    expect(readable(taken[1]?.text ?? '')).toContain('>auth.harbour.example</p>');
  });

  test('without a mail server the link is only in the answer', async () => {
    const answer = await makeDeliverLink(null, 'https://auth.harbour.example', mailReader)(link);
    expect(answer).toEqual({ link: address, mailed: null, problem: null });
  });
});

const listening = async (settings: SMTPServerOptions) => {
  const each = new SMTPServer({ ...options, ...settings });
  each.on('error', () => undefined);
  await new Promise<void>((ready) => each.listen(0, '127.0.0.1', ready));
  onTestFinished(() => new Promise<void>((closed) => each.close(closed)));
  return `127.0.0.1:${(each.server.address() as AddressInfo).port}`;
};
/** Refuses recipients with these answers, one after the other, and takes all others. */
const refusing = (...answers: (number | string)[]) =>
  listening({
    onRcptTo: (_address, _session, done) => {
      const answer = answers.shift();
      if (answer === undefined) return done();
      const [responseCode, ...words] = String(answer).split(' ');
      done(
        Object.assign(new Error([...words, 'no zoe@person.example'].join(' ')), {
          responseCode: Number(responseCode),
        }),
      );
    },
  });
const mail = { to: 'zoe@person.example', subject: 'Hello', text: 'secret link', html: '' };

describe('FX-60: a mail that fails', async () => {
  test('FX-60: is tried again twice within five minutes after 4xx, logged without its address, and counted', async () => {
    const post = postAt(`smtp://${await refusing(451, 451)}`);
    const refused = 'the mail server refused the sender or the recipient (SMTP 451)';
    expect(await post.send(mail)).toBe(refused);
    expect(post.status()).toEqual({
      sent: 0,
      failed: 1,
      trouble: { problem: refused, at: 1_000, isOfRecipient: false },
    });
    post.waits[0]?.call();
    await eventually(() => expect(post.waits).toHaveLength(2));
    post.waits[1]?.call();
    await eventually(() => expect(post.status()).toEqual({ sent: 1, failed: 2, trouble: null }));
    expect(post.waits.reduce((sum, { ms }) => sum + ms, 0)).toBeLessThanOrEqual(5 * 60_000);
    expect(taken.map(({ to }) => to)).toEqual([['zoe@person.example']]);
    expect(post.warned).toEqual([
      { problem: refused, again: true },
      { problem: refused, again: true },
    ]);
  });

  test('FX-60: is given up after the third 451, and at once after 550', async () => {
    const slow = postAt(`smtp://${await refusing(451, 451, 451)}`);
    await slow.send(mail);
    for (const turn of [0, 1]) {
      await eventually(() => expect(slow.waits).toHaveLength(turn + 1));
      slow.waits[turn]?.call();
    }
    await eventually(() => expect(slow.warned.at(-1)?.again).toBe(false));
    expect([slow.waits.length, slow.status().failed]).toEqual([2, 3]);
    const final = postAt(`smtp://${await refusing(550)}`);
    expect(await final.send(mail)).toContain('(SMTP 550)');
    expect(final.waits).toEqual([]);
    expect(JSON.stringify([slow.warned, final.warned, final.status()])).not.toMatch(/zoe|secret/);
  });

  test('FX-60: is not tried again once a newer one goes to the same address', async () => {
    const post = postAt(`smtp://${await refusing(451)}`);
    await post.send(mail);
    expect(await post.send({ ...mail, text: 'newer' })).toBeNull();
    expect(post.waits.map(({ isOff }) => isOff)).toEqual([true]);
  });

  test('FX-90: a notice of a token is tried again whatever link goes to the same address, and so is the link', async () => {
    const post = postAt(`smtp://${await refusing(451, 451, 451)}`);
    const tell = makeDeliverLink(post, 'https://auth.harbour.example', mailReader);
    const notice = { ...link, kind: 'token', token: null } as const;
    for (const one of [notice, link, notice]) expect(await tell(one)).toMatchObject({ mailed: false });
    expect(post.waits.map(({ isOff }) => isOff)).toEqual([false, false, false]);
    await post.finish();
    expect(taken).toHaveLength(3);
  });

  test.each([
    [550, true],
    ['550 5.1.1', true],
    ['552 5.2.2', true],
    ['553 5.1.3', true],
    [554, false],
    ['550 5.7.1', false],
    ['451 4.2.2', false],
  ])('FX-60: a recipient that is answered %s is refused for itself: %s', async (answer, isOfRecipient) => {
    const post = postAt(`smtp://${await refusing(answer)}`);
    const problem = await post.send(mail);
    expect(post.status()).toMatchObject({ failed: 1, trouble: { problem, isOfRecipient } });
    expect(problem?.startsWith('the mail server refused the recipient')).toBe(isOfRecipient);
    expect(await post.send(mail)).toBeNull();
    expect(post.status()).toMatchObject({ sent: 1, trouble: null });
  });

  test('FX-60: is tried once more when the instance ends, at once, and never after that', async () => {
    const post = postAt(`smtp://${await refusing(451, 451, 451)}`);
    await post.send(mail);
    await post.send({ ...mail, to: 'ann@person.example' });
    await post.finish();
    expect(post.warned.map(({ again }) => again)).toEqual([true, true, false]);
    expect(post.status()).toMatchObject({ sent: 1, failed: 3 });
    expect(post.waits.map(({ isOff }) => isOff)).toEqual([true, true]);
    const late = postAt(`smtp://${await refusing(451)}`);
    await late.finish();
    await late.send(mail);
    expect([late.waits, late.warned.map(({ again }) => again)]).toEqual([[], [false]]);
  });

  const { ca, server: identity } = await makeCertificates();
  const startTls = { ...identity, disabledCommands: [], authOptional: true };

  test('FX-60: says that the certificate is not trusted, and MAIL_CA_FILE names its authority', async () => {
    const at = await listening(startTls);
    const notTrusted = 'the certificate of the mail server is not trusted: MAIL_CA_FILE names its authority';
    expect(await mailerAt(`smtp://${at}`).check()).toBe(notTrusted);
    expect(await postAt(`smtp://${at}`).send(mail)).toBe(notTrusted);
    expect(await mailerAt(`smtp://${at}`, ca).check()).toBeNull();
    expect(await postAt(`smtp://${at}`, ca).send(mail)).toBeNull();
  });

  test.each([
    [
      'not for its host',
      () => listening(startTls).then((at) => at.replace('127.0.0.1', 'localhost')),
      'is not for the host of MAIL_URL',
    ],
    ['no port that listens', () => Promise.resolve('127.0.0.1:1'), 'refused the connection: nothing listens'],
    [
      'no TLS for a password',
      () => listening({}).then((at) => `user:secret@${at.replace('127.0.0.1', '0.0.0.0')}`),
      'TLS',
    ],
  ])('FX-60: names the cause: %s', async (_what, start, says) => {
    const { problem } = (await mailerAt(`smtp://${await start()}`, ca).send(mail)) ?? {};
    expect(problem).toContain(says);
    expect(problem).not.toMatch(/secret|zoe/);
  });

  test('FX-60: names a port without TLS where smtps:// is asked for', async () => {
    expect(await mailerAt(`smtps://${await listening({})}`).check()).toContain('speaks no TLS');
  });

  test('FX-60: names a server that accepts the connection and says nothing', async () => {
    const silent = createServer();
    await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready));
    onTestFinished(() => void silent.close());
    const { port: at } = silent.address() as AddressInfo;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const checked = mailerAt(`smtp://127.0.0.1:${at}`).check();
    await once(silent, 'connection');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await checked).toBe('the mail server did not answer in time');
  });
});
