import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { commandLineClient } from '../../domain/people/administrator-token.ts';
import { normalUrl } from '../../common/normal-url.ts';
import type { Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import { NotReached } from '../base/not-reached.ts';
import { RefusedByService } from '../base/api.ts';
import { makeApi } from './network.ts';
import type { RemoteIo } from './connect.ts';

/** In milliseconds: how long the command waits for the browser. */
const patience = 10 * 60_000;

/** What the browser brings back. */
type Returned = Readonly<Record<'code' | 'state' | 'iss' | 'error', string | null>>;

/**
 * The authorization code flow with PKCE (RFC 7636) and a loopback redirect (RFC 8252 §7.3). The code counts only with the state of this
 * run, and from this service (RFC 9207): another one cannot pass on what it was given elsewhere. The browser gets its page last.
 * @param keep what is done with the token
 */
export const signInWithBrowser = async (
  { server, signal, env }: RemoteIo,
  { stdin, stderr }: Pick<CliIo, 'stdin' | 'stderr'>,
  keep: (token: string) => Promise<Answer>,
): Promise<Answer> => {
  const random = () => randomBytes(32).toString('base64url');
  const [verifier, state] = [random(), random()];
  const listening = await listen(state);
  let isKept = false;
  try {
    const redirectUri = `http://127.0.0.1:${listening.port}/`;
    const url = `${server.url}/account/command-line?${new URLSearchParams({
      response_type: 'code',
      client_id: commandLineClient,
      redirect_uri: redirectUri,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()}`;
    stderr.write(`Sign in and allow the command line at this address:\n\n  ${url}\n\n`);
    openBrowser(env, url);
    const pasted = stdin.isTTY === true ? readAddress(stdin, stderr, state) : null;
    const returned = await Promise.race([
      listening.returned,
      ...(pasted ? [pasted.returned] : []),
      givenUp(signal),
    ]).finally(() => pasted?.close());
    if (returned.error !== null || returned.code === null)
      throw new NotAllowed('access-denied', 'the sign-in was not allowed in the browser');
    if (normalUrl(returned.iss ?? '') !== server.url)
      throw new NotReached(
        'GRANTBOOK_SERVER',
        `the sign-in came from ${printable(returned.iss)}, not from ${server.url}: if that is its public address (BASE_URL), use --server ${printable(returned.iss)}`,
      );
    const body = {
      grant_type: 'authorization_code',
      client_id: commandLineClient,
      code: returned.code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    const answered = await makeApi({ server, token: null, signal }).ask('POST', '/operator/api/token', {
      body,
    });
    if (!answered.ok) throw new RefusedByService(answered);
    const done = await keep(String(answered.json['access_token']));
    isKept = done.exitCode === 0;
    return done;
  } finally {
    listening.close(
      isKept ? 'You are signed in on the command line.' : 'You are not signed in: the command line says why.',
    );
  }
};

const printable = (text: string | null): string =>
  (text ?? 'nowhere').replace(/[^\x21-\x7e]/g, '?').slice(0, 200);

const returnedIn = ({ searchParams }: URL): Returned => ({
  code: searchParams.get('code'),
  state: searchParams.get('state'),
  iss: searchParams.get('iss'),
  error: searchParams.get('error'),
});

/** Waits on a free port of this machine for the browser to come back. What has another state is refused, and the wait goes on. */
const listen = async (state: string) => {
  let settle: (returned: Returned) => void;
  const returned = new Promise<Returned>((resolve) => (settle = resolve));
  const waiting: ServerResponse[] = [];
  const app = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { port } = app.address() as AddressInfo;
    const own = `http://127.0.0.1:${port}`;
    const url = URL.canParse(request.url ?? '', own) ? new URL(request.url ?? '', own) : null;
    const isMeant =
      request.method === 'GET' && url?.pathname === '/' && request.headers.host === `127.0.0.1:${port}`;
    const come = url && isMeant ? returnedIn(url) : null;
    if (come?.state !== state)
      return say(response, 400, 'This is not the sign-in that the command line waits for.');
    waiting.push(response);
    settle(come);
  });
  await new Promise<void>((resolve, reject) => {
    app.once('error', reject);
    app.listen(0, '127.0.0.1', resolve);
  });
  const { port } = app.address() as AddressInfo;
  return {
    port,
    returned,
    /** Says to the browser how it ended. */
    close: (how: string) => {
      for (const response of waiting) say(response, 200, `${how} You can close this page.`);
      app.close();
      app.closeIdleConnections();
    },
  };
};

const say = (response: ServerResponse, status: number, text: string): void => {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(`${text}\n`);
};

/** Where the browser runs on another machine, its last address can be pasted: that page cannot be shown there. */
const readAddress = (stdin: CliIo['stdin'], stderr: CliIo['stderr'], state: string) => {
  stderr.write(
    'If the browser is on another machine, paste the address at which it ends (http://127.0.0.1:…):\n',
  );
  const lines = createInterface({ input: stdin });
  const returned = new Promise<Returned>((resolve) => {
    lines.on('line', (line) => {
      const read = URL.canParse(line.trim()) ? returnedIn(new URL(line.trim())) : null;
      if (read?.state === state) resolve(read);
      else stderr.write('This is not the address of this sign-in; paste it as a whole:\n');
    });
  });
  return { returned, close: () => lines.close() };
};

const givenUp = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const refuse = (message: string) => reject(new NotAllowed('not-signed-in', message));
    const timer = setTimeout(() => refuse('nobody signed in within 10 minutes: run it again'), patience);
    timer.unref();
    const stop = () => {
      clearTimeout(timer);
      refuse('it was interrupted: nobody signed in');
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });

/** What opens a page on this system; where there is none, the address was printed. */
const openBrowser = ({ BROWSER }: RemoteIo['env'], url: string): void => {
  const [command, ...args] =
    BROWSER !== undefined && BROWSER !== ''
      ? [BROWSER, url]
      : process.platform === 'darwin'
        ? ['open', url]
        : process.platform === 'win32'
          ? ['rundll32', 'url.dll,FileProtocolHandler', url]
          : ['xdg-open', url];
  spawn(command, args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
};
