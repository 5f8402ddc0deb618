import { maxHeaderSize } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { head, sayTo } from '../../support/servers/raw-socket.ts';

/** Sizes and shapes that only a real socket has: below each limit an answer, above it a refusal, never a hang or a 500. */

const http = await startHttpApp();
await http.app.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => http.close());

const say = (said: string | Buffer, half = false) => sayTo(http.app, said, half);
const form = 'content-type: application/x-www-form-urlencoded';
const posted = (url: string, body: string | Buffer, ...fields: readonly string[]) =>
  Buffer.concat([
    Buffer.from(head(`POST ${url}`, form, `content-length: ${Buffer.byteLength(body)}`, ...fields)),
    Buffer.from(body),
  ]);

/** Each language that the service speaks, and what its refusals look like. */
const places = [
  ['/oauth/token', /application\/json.*"error":"invalid_request"/s],
  ['/oauth/revoke', /application\/json.*"error":"invalid_request"/s],
  ['/oauth/introspect', /application\/json.*"error":"invalid_request"/s],
  ['/oauth/userinfo', /application\/problem\+json.*too-large/s],
  ['/oauth/authorize', /text\/html.*<html/s],
  ['/sign-in', /text\/html.*<html/s],
] as const;

describe.each(places)('a body for %s', (url, language) => {
  const limit = 64 * 1024;

  test('of the largest size is read, one byte more is 413 in the language of the place', async () => {
    const below = await say(posted(url, `x=${'y'.repeat(limit - 2)}`));
    expect(below.status).toBeGreaterThanOrEqual(200);
    expect([413, 500, 503]).not.toContain(below.status);
    const above = await say(posted(url, `x=${'y'.repeat(limit - 1)}`));
    expect(above.status).toBe(413);
    expect(above.answer).toMatch(language);
  });

  test('in chunks is the same body, and as limited', async () => {
    const chunked = (size: number) =>
      `${head(`POST ${url}`, form, 'transfer-encoding: chunked')}${size.toString(16)}\r\n${'y'.repeat(size)}\r\n0\r\n\r\n`;
    expect([413, 500, 503]).not.toContain((await say(chunked(limit))).status);
    const above = await say(chunked(limit + 1));
    expect(above.status).toBe(413);
    expect(above.answer).toMatch(language);
  });

  test.each([
    ['shorter than it says, and then an end', 'content-length: 10\r\n\r\nx=1'],
    ['longer than it says', 'content-length: 1\r\n\r\nx=1'],
    ['of no length that is a number', 'content-length: many\r\n\r\nx=1'],
    ['of a negative length', 'content-length: -1\r\n\r\nx=1'],
    ['of two lengths', 'content-length: 3\r\ncontent-length: 4\r\n\r\nx=1'],
    [
      'of a length and in chunks',
      'content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nx=1\r\n0\r\n\r\n',
    ],
    ['in chunks of no size that is a number', 'transfer-encoding: chunked\r\n\r\nzz\r\nx=1\r\n0\r\n\r\n'],
  ])('%s is no hang and no fault of ours', async (_name, rest) => {
    const { status } = await say(
      `POST ${url} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${form}\r\n${rest}`,
      true,
    );
    expect(status).toBeLessThan(500);
  });

  test('of thousands of parameters, of NUL, of no UTF-8, of broken percent signs is no fault of ours', async () => {
    const bodies = [
      'x&'.repeat(20_000),
      'a=%00&%00=b',
      Buffer.from([0x61, 0x3d, 0xff, 0xfe, 0x00, 0x80]),
      'a=%&b=%zz&c=%E0%A4%A',
    ];
    for (const body of bodies) {
      const { status } = await say(posted(url, body));
      expect([400, 401, 303, 200]).toContain(status);
    }
  });
});

describe('the head', () => {
  const withFields = (bytes: number, name = 'x-filler') => {
    const rest = head('GET /profiles', `${name}: `).length;
    return head('GET /profiles', `${name}: ${'y'.repeat(bytes - rest)}`);
  };

  test.each(['x-filler', 'cookie', 'authorization'])(
    'of much %s is read below the limit, and 431 above it',
    async (name) => {
      expect((await say(withFields(maxHeaderSize - 512, name))).status).toBe(401);
      const above = await say(withFields(maxHeaderSize + 512, name));
      expect(above.status).toBe(431);
      expect(above.answer).toMatch(/application\/problem\+json.*headers-too-large/s);
    },
  );

  test.each(['/profiles', '/oauth/authorize', '/oauth/token', '/nowhere'])(
    'with a very long address of %s is refused',
    async (url) => {
      const long = (length: number) => say(head(`GET ${url}?x=${'y'.repeat(length)}`));
      expect((await long(maxHeaderSize - 1_024)).status).toBeLessThan(500);
      expect((await long(maxHeaderSize + 1_024)).status).toBe(431);
    },
  );

  test.each([
    ['thousands of cookies', `cookie: ${'a=b; '.repeat(2_500)}`],
    ['a cookie of nothing but signs', `cookie: ${';=,'.repeat(500)}`],
    ['many fields', Array.from({ length: 900 }, (_, at) => `x-${at}: y`).join('\r\n')],
    ['a name with a blank', 'x y: z'],
    ['bytes that are no ASCII', 'x-bytes: \u00ff\u00fe'],
  ])('with %s is answered', async (_name, field) => {
    const { status } = await say(head('GET /admin', field));
    expect([303, 400, 431]).toContain(status);
  });
});

test('after all this the process answers, and nothing of it was a fault of ours', async () => {
  expect((await say(head('GET /health/live'))).status).toBe(200);
  expect(http.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  expect(http.lines.length).toBeGreaterThan(50);
});
