import { writeFileSync } from 'node:fs';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { authentications, startClientScene, type Authentication } from '../../support/scenes/client-scene.ts';
import { activate, obtainTokens, setScene } from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/outcomes.ts';
import { newFolder, startToolchains, type Programs } from './toolchains.ts';
import { profileOf } from '../../support/scenes/profile.ts';

/*
 * An add-on is a program: it prints where it sends the browser, reads where the browser came back, and prints what it got. The
 * settings come by the environment; what has to be set in its library is in its source, and in docs/reference/clients.md.
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
  /** The organization that the tokens are for, wherever the library reads it. */
  readonly organization: Readonly<Record<string, string | null>>;
};

const clients = {
  'Nimbus oauth2-oidc-sdk': 'java',
  ScribeJava: 'java',
  'x/oauth2 with go-oidc': 'go',
  Authlib: 'python',
  'requests-oauthlib': 'python',
} as const;

/** Where each reads the organization: the others read no id_token, or cannot introspect. */
const readsIn: Readonly<Record<keyof typeof clients, readonly string[]>> = {
  'Nimbus oauth2-oidc-sdk': ['id_token', 'introspection', 'token', 'userinfo'],
  ScribeJava: ['token', 'userinfo'],
  'x/oauth2 with go-oidc': ['id_token', 'token', 'userinfo'],
  Authlib: ['id_token', 'introspection', 'token', 'userinfo'],
  'requests-oauthlib': ['token', 'userinfo'],
};

/** With what is installed next to it on its path. @returns what it printed */
const runProgram = async (
  [program = '', ...first]: Programs[string] | readonly [] = [],
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const PATH = `${dirname(program)}${delimiter}${process.env['PATH']}`;
  const { stdout } = await promisify(execFile)(program, [...first, ...args], {
    env: { ...process.env, PATH, ...env },
  });
  return stdout;
};

describe('clients of other languages', async () => {
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
    organizationId?: string,
  ) => {
    const register = organizationId ? scene.registerActive : scene.register;
    const { clientId, clientSecret } = await register(authentication);
    const child = spawn(program, args, {
      env: {
        ...process.env,
        ISSUER: scene.issuer,
        CLIENT_ID: clientId,
        CLIENT_SECRET: clientSecret,
        REDIRECT_URI: scene.redirectUri,
        AUTHENTICATION: authentication,
        ...(organizationId && { ORGANIZATION_ID: organizationId }),
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
      async (authentication, { skip }) => {
        const toolchain = await toolchains[language];
        if ('why' in toolchain) return skip(toolchain.why);
        const program = toolchain.programs[name];
        if (!program) throw new Error(`no program for ${name}`);
        const { trouble, report } = await drive([...program], authentication);
        expect(trouble).toBe('');
        const { token, refreshed, revoked, organization, ...got } = JSON.parse(report) as Report;
        expect(new Set(Object.values(organization)), 'own records').toEqual(new Set([null]));
        expect(got).toEqual({
          scope: 'openid profile email profiles:read',
          subject: scene.userId,
          email: scene.email,
          refusal: 'invalid_grant',
        });
        expect(refreshed).not.toBe(token);
        expect(await scene.namesWith(refreshed)).toEqual(revoked ? 401 : ['Ada Ahoi']);
      },
    );

  test.for(Object.keys(clients) as (keyof typeof clients)[])(
    'AP-01, AP-03: %s asks for an organization, and reads that its tokens are for it',
    async (name, { skip }) => {
      const toolchain = await toolchains[clients[name]];
      if ('why' in toolchain) return skip(toolchain.why);
      const program = toolchain.programs[name];
      if (!program) throw new Error(`no program for ${name}`);
      const { organizationId } = scene;
      const { trouble, report } = await drive([...program], 'client_secret_basic', organizationId);
      expect(trouble).toBe('');
      const { organization } = JSON.parse(report) as Report;
      expect(organization).toEqual(Object.fromEntries(readsIn[name].map((where) => [where, organizationId])));
    },
  );

  test('a client generated from /openapi.json reads a list and an activation, and knows their refusals', async ({
    skip,
  }) => {
    const toolchain = await toolchains.generator;
    if ('why' in toolchain) return skip(toolchain.why);
    const { generate, use } = toolchain.programs;
    const made = join(folder, 'generated/grantbook');
    // As docs/reference/clients.md says: the generator does not know the media type of NDJSON.
    const config = join(folder, 'lines.yaml');
    writeFileSync(
      config,
      'content_type_overrides: { application/x-ndjson: application/octet-stream }\nhttp_timeout: 60\n',
    );
    const source = ['--url', `${scene.issuer}/openapi.json`, '--config', config];
    await runProgram(generate, [...source, '--meta', 'none', '--fail-on-warning', '--output-path', made]);
    const addon = await setScene(scene.http);
    const { organizationId, userId, clientId } = addon;
    await activate(scene.http, addon);
    const record = profileOf('Ada Ahoi', { email: addon.email, userId });
    await scene.http.commands.recordProfile({ organizationId, id: 'generated', version: 1, record });
    const tokens = await obtainTokens(scene.http, addon, { subject: `organization:${organizationId}` });
    const ofAdministrator = { organizationId, userId, name: 'generated', days: 1, by: userId };
    await scene.http.settle();
    const said = await runProgram(use, [], {
      PYTHONPATH: join(folder, 'generated'),
      BASE_URL: scene.issuer,
      ACCESS_TOKEN: tokens.access_token,
      ADMINISTRATOR_TOKEN: valueOf(await scene.http.commands.issueAdministratorToken(ofAdministrator)).token,
      ORGANIZATION_ID: organizationId,
      CLIENT_ID: clientId,
    });
    expect(JSON.parse(said)).toEqual({
      names: ['Ada Ahoi'],
      total: 1,
      activation: { status: 'active', epoch: 1, activated_by: userId },
      refusals: ['token-missing', 'invalid-parameters', 'addon-unknown'],
    });
  });
});
