import { packageVersion } from '../../src/process/package-root.ts';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { makeServerCertificates } from '../../src/embedded/certificates.ts';
import { makeEndpointGuard } from '../../src/signals/endpoint/endpoint-guard.ts';
import { Agent } from '../../src/common/outgoing/undici.ts';
import { listening, serve } from '../support/servers/serve.ts';
import { makePush, set, trusting } from './pushing.ts';

const secret = 'Bearer the-receivers-own-secret';

type Handler = (answer: ServerResponse, request: IncomingMessage) => void;

const json = (status: number, body: unknown): Handler => {
  return (answer) =>
    answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

describe('SG-08: a SET is pushed', () => {
  test('as RFC 8935 §2.1 says, with the header of the receiver, and 202 has taken it', async () => {
    const seen: unknown[] = [];
    const origin = await serve((request, answer) => {
      void text(request).then((body) => {
        const { accept, authorization, 'content-type': type } = request.headers;
        seen.push([request.method, request.url, type, accept, authorization, body]);
        answer.writeHead(202).end();
      });
    });
    const { push } = makePush();
    expect(await push(`${origin}/events?tenant=7`, { authorization: secret })).toEqual({ error: null });
    expect(await push(`${origin}/events`)).toEqual({ error: null });
    expect(seen).toEqual([
      ['POST', '/events?tenant=7', 'application/secevent+jwt', 'application/json', secret, set],
      ['POST', '/events', 'application/secevent+jwt', 'application/json', undefined, set],
    ]);
  });

  test('FX-32: says who calls', async () => {
    let agent: string | undefined;
    const origin = await serve((request, answer) => {
      agent = request.headers['user-agent'];
      answer.writeHead(202).end();
    });
    await makePush().push(origin);
    expect(agent).toBe(`Grantbook/${packageVersion}`);
  });

  test('the next SET takes the same connection', async () => {
    const sockets = new Set<unknown>();
    const origin = await serve((request, answer) => {
      sockets.add(request.socket);
      answer.writeHead(202).end('ignored');
    });
    const { push } = makePush();
    for (let i = 0; i < 3; i += 1) {
      expect(await push(origin)).toEqual({ error: null });
      await setImmediate(); // the connection is free again a moment after the answer
    }
    expect(sockets.size).toBe(1);
  });

  test('a 202 whose body never ends has taken it all the same', async () => {
    const origin = await serve((_request, answer) => {
      answer.writeHead(202);
      answer.write('x'.repeat(10_000));
    });
    expect(await makePush().push(origin)).toEqual({ error: null });
  });
});

describe('SG-08: everything else than 202 is a failure, in one line of plain words', () => {
  const endless: Handler = (answer) => {
    answer.writeHead(500);
    const more = setInterval(() => answer.write('x'), 5);
    answer.on('close', () => clearInterval(more));
  };

  const answering = (answerIt: Handler) =>
    serve((request, answer) => {
      request.resume().on('end', () => answerIt(answer, request));
    });

  test.each<[string, Handler, string]>([
    ['200', (answer) => answer.end('thanks'), 'answered 200 instead of 202'],
    ['204', (answer) => answer.writeHead(204).end(), 'answered 204 instead of 202'],
    ['500', (answer) => answer.writeHead(500).end('<h1>sorry</h1>'), 'answered 500 instead of 202'],
    [
      'an error of RFC 8935 §2.4',
      json(400, { err: 'invalid_key', description: 'Key ID 12345 has been revoked.' }),
      'answered 400 instead of 202: invalid_key: Key ID 12345 has been revoked.',
    ],
    [
      'an error without description',
      json(400, { err: 'invalid_request' }),
      'answered 400 instead of 202: invalid_request',
    ],
    ['an error of wrong types', json(400, { err: { a: 1 }, description: 7 }), 'answered 400 instead of 202'],
    ['an error that is no object', json(400, null), 'answered 400 instead of 202'],
    [
      'an error over several lines, with marks that reverse text',
      json(400, { err: 'a\r\nb', description: 'c\u202Ed\u0000e' }),
      'answered 400 instead of 202: a b: c d e',
    ],
    [
      'a long error',
      json(400, { err: 'long', description: 'x'.repeat(60_000) }),
      `answered 400 instead of 202: ${`long: ${'x'.repeat(60_000)}`.slice(0, 300)}…`,
    ],
    ['an error of more than 64 kB', json(400, { err: 'x'.repeat(70_000) }), 'answered 400 instead of 202'],
    [
      'the death of a receiver in mid-answer',
      (answer) => {
        answer.writeHead(400, { 'content-length': '100' }).write('{"err":');
        void setImmediate().then(() => answer.destroy());
      },
      'answered 400 instead of 202',
    ],
    [
      'a closed connection',
      (answer) => void answer.destroy(),
      'closed the connection before its answer was complete',
    ],
    [
      'a header that is cut off',
      (answer) => void answer.socket?.end('HTTP/1.1 202 Acc'),
      'closed the connection before its answer was complete',
    ],
    ['no HTTP', (answer) => void answer.socket?.end('220 mail ESMTP\r\n'), 'did not answer with valid HTTP'],
    [
      'headers without end',
      (answer) => void answer.socket?.write(`HTTP/1.1 202 OK\r\nx: ${'y'.repeat(40_000)}`),
      'answered with headers that are too large',
    ],
  ])('%s', async (_what, answerIt, error) => {
    expect(await makePush().push(await answering(answerIt))).toEqual({ error });
  });

  test.each<[string, number, Handler, string]>([
    // Within this time, also on a busy machine, its status has to come.
    ['an error whose body never ends', 1_000, endless, 'answered 500 instead of 202'],
    ['silence', 200, () => undefined, 'gave no whole answer within 0.2 seconds'],
  ])('%s, which is not waited for', async (_what, timeoutMs, answerIt, error) => {
    expect(await makePush().push(await answering(answerIt), {}, timeoutMs)).toEqual({ error });
  });

  test.each([
    [10, null],
    [11, 'answered with headers that are too large'],
  ])('%i early hints before the answer', async (hints, error) => {
    const origin = await serve((request, answer) => {
      request.resume().once('end', () => {
        for (let hint = 0; hint < hints; hint += 1)
          answer.writeEarlyHints({ link: '</style.css>; rel=preload' });
        answer.writeHead(202).end();
      });
    });
    expect(await makePush().push(origin)).toEqual({ error });
  });
  test('SG-09: a redirect is a failure, and nothing is sent to where it leads', async () => {
    let reached = 0;
    const target = await serve((_request, answer) => {
      reached += 1;
      answer.writeHead(202).end();
    });
    for (const status of [301, 302, 307, 308]) {
      const origin = await serve((_request, answer) => answer.writeHead(status, { location: target }).end());
      expect(await makePush().push(origin)).toEqual({
        error: `answered ${status} instead of 202 (redirects are not followed)`,
      });
    }
    expect(reached).toBe(0);
  });

  test('the secret of the receiver is hidden where the receiver repeats it', async () => {
    const origin = await serve((request, answer) => {
      const said = request.headers.authorization ?? '';
      json(400, { err: said, description: `wrong: ${said.slice('Bearer '.length)}` })(answer, request);
    });
    const { error } = await makePush().push(origin, { authorization: secret });
    expect(error).toBe('answered 400 instead of 202: (hidden): wrong: (hidden)');
  });

  test('nobody listens', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    server.close();
    await once(server, 'close');
    expect(await makePush().push(`http://127.0.0.1:${port}/`)).toEqual({ error: 'refused the connection' });
  });

  test('a stop of the service ends a push that waits, and a push after it does not begin', async () => {
    let asked = 0;
    const { push, stop } = makePush();
    const origin = await serve(() => {
      asked += 1;
      stop();
    });
    expect((await push(origin)).error).not.toBeNull();
    expect((await push(origin)).error).not.toBeNull();
    expect(asked).toBe(1);
  });
});

test('SG-08: a push that is not connected in time ends, and nothing is sent after it', async () => {
  let [asked, find] = [0, () => {}];
  const origin = await serve((_request, answer) => {
    asked += 1;
    answer.writeHead(202).end();
  });
  const found = new Promise<LookupAddress[]>((resolve) => {
    find = () => resolve([{ address: '127.0.0.1', family: 4 }]);
  });
  const { push } = makePush({ guard: { ...trusting(), addressesOf: () => found } });
  const url = origin.replace('127.0.0.1', 'slow-name-servers.example');
  expect(await push(url, {}, 200)).toEqual({ error: 'gave no whole answer within 0.2 seconds' });
  find();
  expect(await push(url)).toEqual({ error: null });
  expect(asked).toBe(1);
});

describe('SG-09: the address that is connected to is the one that was judged', () => {
  const listener = async () => {
    const connected: unknown[] = [];
    const port = await listening(createTcpServer((socket) => void connected.push(socket.destroy())));
    return { port, connected };
  };

  test.each([
    ['a loopback address', '127.0.0.1'],
    ['a loopback address in mapped IPv6', '::ffff:127.0.0.1'],
    ['a metadata address', '169.254.169.254'],
  ])(
    'a name that resolves to another address after registration (%s) is not connected to',
    async (_kind, rebound) => {
      const { port, connected } = await listener();
      const answers = [['93.184.215.14'], [rebound]];
      const guard = makeEndpointGuard({
        isProduction: false,
        resolve: (host) => Promise.resolve(host === 'rebinding.example' ? (answers.shift() ?? []) : []),
        ownUrls: ['https://auth.example'],
        ownPorts: [],
      });
      const url = `https://rebinding.example:${port}/`;
      expect(await guard.problem(url)).toBeNull();
      expect((await makePush({ guard }).push(url)).error).toMatch(
        /^was not connected to: endpoint_url must have a host whose addresses are all public; it resolves to a \S+ address$/,
      );
      expect(connected).toEqual([]);
      expect(answers).toEqual([]); // one look-up at registration, one at the connection
    },
  );

  test.each(['127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]'])(
    'a literal address in a stored URL is judged at connect time: %s',
    async (host) => {
      const { port, connected } = await listener();
      const guard = makeEndpointGuard({
        isProduction: true,
        resolve: (literal) => Promise.resolve([literal]),
        ownUrls: ['https://auth.example'],
        ownPorts: [],
      });
      const { error } = await makePush({ guard }).push(`https://${host}:${port}/`);
      expect(error).toMatch(/^was not connected to: .* it resolves to a loopback address$/);
      expect(connected).toEqual([]);
    },
  );

  test('the look-up of the guard is the only one', async () => {
    let lookUps = 0;
    const guard = trusting(() => void (lookUps += 1));
    const origin = await serve((_request, answer) => answer.writeHead(202).end());
    const { push } = makePush({ guard });
    const url = origin.replace('127.0.0.1', 'no-such-host.invalid');
    expect(await push(url)).toEqual({ error: null });
    await setImmediate();
    expect(await push(url)).toEqual({ error: null });
    expect(lookUps).toBe(1); // the second push takes the same connection
  });
});

describe('SG-08: TLS', () => {
  const startTls = async () => {
    const { authority, certificate, key } = await makeServerCertificates();
    const server = createTlsServer({ cert: certificate, key }, (_request, answer) => {
      answer.writeHead(202).end();
    });
    const port = await listening(server);
    return { authority, port };
  };

  test('a certificate of a known authority for this host is needed', async () => {
    const { authority, port } = await startTls();
    expect(await makePush({ ca: authority }).push(`https://localhost:${port}/`)).toEqual({ error: null });
    expect((await makePush().push(`https://localhost:${port}/`)).error).toMatch(
      /^has a TLS certificate that (cannot be verified|is signed by itself)/,
    );
    const guard = trusting();
    expect(await makePush({ ca: authority, guard }).push(`https://other.example:${port}/`)).toEqual({
      error: 'has a TLS certificate for another host',
    });
  });

  test('a receiver that speaks no TLS', async () => {
    const origin = await serve((_request, answer) => answer.writeHead(202).end());
    expect((await makePush().push(origin.replace('http:', 'https:'))).error).toMatch(/^failed to set up TLS/);
  });
});

test('the client for pushes leaves the fetch of Node to itself', () => {
  const own: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
  expect(own).toBeDefined();
  expect(own).not.toBeInstanceOf(Agent);
});
