import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from 'vitest';
import { authentications, startClientScene, type Authentication } from '../../support/client-scene.ts';
import { newFolder, startToolchains } from './toolchains.ts';

/*
 * An add-on is a program: it prints where it sends the browser, reads where the browser came back, and prints what it got. The
 * settings come by the environment; what has to be set in its library is in its source, and in docs/clients.md.
 */
type Report = {
  readonly scope: string;
  readonly subject: string;
  readonly email: string;
  /** Access tokens, of the exchange and of the refresh. */
  readonly token: string;
  readonly refreshed: string;
  /** Whether the library can give tokens back, and has. */
  readonly revoked: boolean;
  /** What the library calls the answer to a code that is none. */
  readonly refusal: string;
};

const clients = {
  'Nimbus oauth2-oidc-sdk': 'java',
  ScribeJava: 'java',
  'x/oauth2 with go-oidc': 'go',
  Authlib: 'python',
  'requests-oauthlib': 'python',
} as const;

describe.skipIf(process.env['GRANTBOOK_SLOW_TESTS'] === undefined)('clients of other languages', async () => {
  if (process.env['GRANTBOOK_SLOW_TESTS'] === undefined) return;
  const scene = await startClientScene();
  const folder = await newFolder();
  const toolchains = startToolchains(folder);
  afterAll(async () => {
    const found = await Promise.all(Object.values(toolchains));
    for (const toolchain of found)
      if ('why' in toolchain) process.stderr.write(`clients were not tried: ${toolchain.why}\n`);
    await rm(folder, { recursive: true, force: true });
  });

  const drive = async (
    [program, ...args]: readonly [string, ...string[]],
    authentication: Authentication,
  ) => {
    const { clientId, clientSecret } = await scene.register(authentication);
    const child = spawn(program, args, {
      env: {
        ...process.env,
        ISSUER: scene.issuer,
        CLIENT_ID: clientId,
        CLIENT_SECRET: clientSecret,
        REDIRECT_URI: scene.redirectUri,
        AUTHENTICATION: authentication,
        // Plain http on loopback, which both libraries refuse otherwise.
        OAUTHLIB_INSECURE_TRANSPORT: '1',
        AUTHLIB_INSECURE_TRANSPORT: '1',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let trouble = '';
    child.stderr.on('data', (chunk: Buffer) => (trouble += chunk.toString()));
    const ended = once(child, 'close');
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (lines.length === 1) child.stdin.end(`${(await scene.visit(line)).url.href}\n`);
    }
    await ended;
    return { trouble: child.exitCode === 0 ? '' : trouble, report: lines.slice(1).join('\n') };
  };

  for (const [name, language] of Object.entries(clients))
    test.for(authentications)(
      `S3, TK-08, TK-12, RT-02: ${name} gets, uses and refreshes its tokens (%s)`,
      { timeout: 300_000 },
      async (authentication, { skip }) => {
        const toolchain = await toolchains[language];
        if ('why' in toolchain) return skip(toolchain.why);
        const program = toolchain.programs[name];
        if (!program) throw new Error(`no program for ${name}`);
        const { trouble, report } = await drive([...program], authentication);
        expect(trouble).toBe('');
        const { token, refreshed, revoked, ...got } = JSON.parse(report) as Report;
        expect(got).toEqual({
          scope: 'openid profiles:read',
          subject: scene.userId,
          email: scene.email,
          refusal: 'invalid_grant',
        });
        expect(refreshed).not.toBe(token);
        expect(await scene.namesWith(refreshed)).toEqual(revoked ? 401 : ['Ada Ahoi']);
      },
    );
});
