import { maxHeaderSize } from 'node:http';
import { describe, expect, test } from 'vitest';
import { bodies, heldRoute, readAll, startEdgeServer } from '../../support/servers/edge-server.ts';

const baseUrl = 'http://127.0.0.1:8080';

/** The answers to what is said on one connection, in their order. */
const answersTo = async (said: string, options: Parameters<typeof startEdgeServer>[0] = {}) => {
  const { open } = await startEdgeServer(options);
  const socket = await open();
  const seen = readAll(socket);
  socket.write(said);
  return parse(await seen);
};

const parse = (text: string) =>
  text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer !== '')
    .map((answer) => {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      const status = Number(head.split(' ')[1]);
      const problem = /problem\+json/.test(head) ? (JSON.parse(body) as Record<string, unknown>) : null;
      return { status, head, body, problem };
    });

const fields = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const get = (...lines: readonly string[]) => fields('GET / HTTP/1.1', ...lines);
const post = (...lines: readonly string[]) => fields('POST / HTTP/1.1', 'host: a', ...lines);

describe('what is no request', () => {
  test('G-07: header fields that are too large are a problem that says what is allowed, and not what was sent', async () => {
    const long = `hush${'x'.repeat(maxHeaderSize)}`;
    const [answer] = await answersTo(`GET /x HTTP/1.1\r\nhost: a\r\nx-long: ${long}`);
    expect(answer?.problem).toMatchObject({
      type: `${baseUrl}/problems/headers-too-large`,
      status: 431,
      detail: `The request line and all header fields together may have ${maxHeaderSize} bytes`,
    });
    expect(answer?.body).not.toContain('hush');
  });

  test.each([
    ['no HTTP at all', 'hush\r\n\r\n', /request line/],
    ['an unknown version', 'GET / HTTP/9.9\r\nhost: a\r\n\r\n', /HTTP\/1\.1 or HTTP\/1\.0/],
    ['a header name with a space', get('host: a', 'hush hush: 1'), /header field/],
    ['a length that is no number', post('content-length: hush'), /Content-Length/],
    ['two lengths', post('content-length: 3', 'content-length: 4'), /Content-Length/],
    ['a length and chunks', post('content-length: 3', 'transfer-encoding: chunked'), /Transfer-Encoding/],
    [
      'a chunk without a size',
      `${fields('POST /x HTTP/1.1', 'host: a', 'content-type: a/b', 'transfer-encoding: chunked')}hush\r\n`,
      /chunk/,
    ],
  ])('of %s the problem says in `detail` what is malformed', async (_name, said, detail) => {
    const answer = (await answersTo(said, { routes: bodies })).at(-1);
    expect([answer?.status, answer?.problem?.['type']]).toEqual([
      400,
      `${baseUrl}/problems/malformed-request`,
    ]);
    expect(answer?.problem?.['detail']).toMatch(detail);
    expect(answer?.body).not.toContain('hush');
  });

  test('CL-09: nosniff and Cache-Control are on an answer without a request, too, and HSTS where the address is https', async () => {
    const [plain] = await answersTo('hush\r\n\r\n');
    expect(plain?.head).toMatch(/x-content-type-options: nosniff/);
    expect(plain?.head).toMatch(/cache-control: no-store/);
    expect(plain?.head).not.toMatch(/strict-transport-security/);
    const [secure] = await answersTo('hush\r\n\r\n', { config: { baseUrl: 'https://auth.example' } });
    expect(secure?.head).toMatch(/strict-transport-security: max-age=31536000/);
  });
});

describe('garbage after a complete request in one packet', () => {
  test('does not replace the answer of that request, whenever that is ready', async () => {
    const held = heldRoute();
    const { open } = await startEdgeServer(held);
    const socket = await open();
    const seen = readAll(socket);
    socket.write(`${fields('GET /held HTTP/1.1', 'host: a')}hush hush hush\r\n\r\n`);
    await held.asked;
    held.answer();
    const answers = parse(await seen);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(answers[0]?.body).toBe('the whole answer');
  });

  test('nor those of several requests before it', async () => {
    const answers = await answersTo(`${get('host: a').repeat(3)}hush\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 400]);
  });

  test('and a request whose own body is malformed has one answer', async () => {
    const chunked = fields('PUT /x HTTP/1.1', 'host: a', 'transfer-encoding: chunked');
    const answers = await answersTo(`${chunked}zz\r\n`, { routes: bodies });
    expect(answers.map(({ status }) => status)).toEqual([405]);
  });
});

describe('what the parser lets through', () => {
  const notAHost = 'The Host field is not a host with an optional port';
  const onlyChunked = 'The only transfer coding is chunked';
  const statuses = {
    'malformed-request': 400,
    'unsupported-content-encoding': 415,
    'expectation-failed': 417,
    'unsupported-transfer-encoding': 501,
  };

  test.each<[name: string, said: string, kind: keyof typeof statuses, detail: string]>([
    ['no Host', get(), 'malformed-request', 'There is no Host field'],
    ['two Host fields', get('host: a', 'host: a'), 'malformed-request', 'There is more than one Host field'],
    ['a Host that is none', get('host: a b/hush'), 'malformed-request', notAHost],
    ['an empty Host', get('host:'), 'malformed-request', notAHost],
    [
      'Expect: x',
      post('expect: x', 'content-length: 0'),
      'expectation-failed',
      'The only expectation that is met is 100-continue',
    ],
    [
      'a compressed body',
      `${post('content-encoding: gzip', 'content-length: 1')}x`,
      'unsupported-content-encoding',
      'Send the body without Content-Encoding',
    ],
    [
      'chunks that are compressed',
      `${post('transfer-encoding: gzip, chunked')}1\r\nx\r\n0\r\n\r\n`,
      'unsupported-transfer-encoding',
      onlyChunked,
    ],
    [
      'another transfer coding',
      post('transfer-encoding: gzip'),
      'unsupported-transfer-encoding',
      onlyChunked,
    ],
  ])('%s is refused with a problem', async (_name, said, kind, detail) => {
    const { open } = await startEdgeServer();
    const socket = await open();
    const seen = readAll(socket);
    socket.end(said);
    const answers = parse(await seen);
    expect(answers.map(({ problem }) => problem)).toEqual([
      expect.objectContaining({ status: statuses[kind], type: `${baseUrl}/problems/${kind}`, detail }),
    ]);
  });

  test('HTTP/1.0 needs no Host', async () => {
    expect((await answersTo(fields('GET / HTTP/1.0'))).map(({ status }) => status)).toEqual([404]);
  });
});

test('the 413 of a large chunked body can be read by a client that goes on sending', async () => {
  const { open } = await startEdgeServer({ routes: bodies });
  const socket = await open();
  const chunk = `${(32_768).toString(16)}\r\n${'y'.repeat(32_768)}\r\n`;
  socket.write(
    fields('POST /x HTTP/1.1', 'host: a', 'content-type: text/plain', 'transfer-encoding: chunked'),
  );
  // As a client does that reads only when it has sent all: 8 MiB, far more than is read of a refused body.
  for (let count = 0; count < 256; count += 1)
    await new Promise((sent) => socket.write(chunk, () => sent(undefined)));
  const seen = readAll(socket);
  socket.end('0\r\n\r\n');
  expect(parse(await seen).map(({ status }) => status)).toEqual([413]);
});
