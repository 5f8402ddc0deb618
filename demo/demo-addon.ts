import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { scopes } from '../src/domain/access/scope.ts';
import { one, queryOf } from '../src/http/requests/params.ts';
import { markup } from '../src/http/pages/html.ts';
import { page } from '../src/http/pages/render.ts';
import { sendPage } from '../src/http/pages/page-answer.ts';

export type DemoAddonDependencies = {
  readonly baseUrl: string;
  readonly clientId: string;
};

/** The add-on's session between the two halves of the flow: state and verifier (spec). */
type Pending = { readonly verifier: string; readonly startedAt: number };

const cookieName = 'demo_addon_state';
const pendingFor = 600_000;

/**
 * A small add-on in the embedded default, so that the printed link works. It uses the service only over HTTP, like any
 * add-on; in production it does not exist.
 */
export const registerDemoAddon = (
  app: FastifyInstance,
  { baseUrl, clientId }: DemoAddonDependencies,
): void => {
  const pending = new Map<string, Pending>();
  const redirectUri = `${baseUrl}/demo/callback`;

  app.get('/demo', (request, reply) => {
    // As after an activation (AP-03); without one, the user chooses.
    const organization = one(queryOf(request), 'organization');
    forgetOld(pending);
    const state = randomBytes(16).toString('base64url');
    const verifier = randomBytes(32).toString('base64url');
    pending.set(state, { verifier, startedAt: Date.now() });
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: scopes.join(' '),
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(organization !== undefined && { organization }),
    });
    return reply
      .header('set-cookie', `${cookieName}=${state}; Path=/demo; HttpOnly; SameSite=Lax; Max-Age=600`)
      .header('cache-control', 'no-store')
      .redirect(`${baseUrl}/oauth/authorize?${query.toString()}`, 303);
  });

  app.get('/demo/callback', async (request, reply) => {
    const answer = queryOf(request);
    const [code, error, state = ''] = [one(answer, 'code'), one(answer, 'error'), one(answer, 'state')];
    const started = bound(request, state) ? pending.get(state) : undefined;
    if (!started) return told(reply, 400, 'This answer belongs to no request of this browser.');
    pending.delete(state);
    if (error || !code) return told(reply, 200, `The authorization ended with “${error ?? 'no code'}”.`);
    const tokens = await exchange(baseUrl, { clientId, redirectUri, code, verifier: started.verifier });
    if (!tokens) return told(reply, 502, 'The code could not be exchanged.');
    const list = await fetch(`${baseUrl}/access-rights?per_page=10`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const page = (await list.json()) as ListPage;
    if (!list.ok) return told(reply, 502, 'The access rights could not be read.');
    return sendPage(reply, 200, storyPage(baseUrl, tokens, page), 'stays-here');
  });
};

const forgetOld = (pending: Map<string, Pending>): void => {
  for (const [state, { startedAt }] of pending) {
    if (Date.now() - startedAt < pendingFor && pending.size < 1000) return;
    pending.delete(state);
  }
};

const bound = (request: FastifyRequest, state: string): boolean =>
  (request.headers.cookie ?? '').split(/;\s*/).includes(`${cookieName}=${state}`);

type Tokens = {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly organization_id?: string;
};
type ListPage = {
  readonly items: readonly { readonly id: string; readonly opens: string; readonly status: string }[];
  readonly _pagination: { readonly total_items: number; readonly pages: number };
};

const exchange = async (
  baseUrl: string,
  from: {
    readonly clientId: string;
    readonly redirectUri: string;
    readonly code: string;
    readonly verifier: string;
  },
): Promise<Tokens | null> => {
  const answer = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: from.clientId,
      redirect_uri: from.redirectUri,
      code: from.code,
      code_verifier: from.verifier,
    }),
  });
  return answer.ok ? ((await answer.json()) as Tokens) : null;
};

const shortened = (secret: string): string => `${secret.slice(0, 12)}…`;

type Story = {
  readonly base: string;
  readonly title: string;
  readonly message: string | null;
  readonly facts: readonly (readonly [string, string])[];
  readonly items: ListPage['items'];
};

const render = page<Story>(
  ({ title }) => title,
  ({ title, message, facts, items, base }) =>
    markup`<div class="card">
<h1>${title}</h1>
${message && markup`<p>${message}</p>`}
${facts.map(([name, value]) => markup`<div class="row"><span>${name}</span><code>${value}</code></div>`)}
${
  items.length > 0 &&
  markup`<h2>The first access rights</h2>
${items.map((item) => markup`<div class="row"><span>${item.opens}</span><span class="soft small">${item.id} · ${item.status}</span></div>`)}`
}
<p class="soft small"><a href="${base}/demo">Start again</a> · <a href="${base}/admin">Deactivate the add-on</a></p>
</div>
`,
);

const told = (reply: FastifyReply, status: number, message: string): FastifyReply =>
  sendPage(
    reply,
    status,
    render({ base: '', title: 'Door Opener', message, facts: [], items: [] }),
    'stays-here',
  );

const storyPage = (base: string, tokens: Tokens, { items, _pagination }: ListPage): string =>
  render({
    base,
    title: 'Door Opener is connected',
    message: 'This is the demo add-on. It exchanged its code and read the first page of access rights.',
    facts: [
      ['access_token', shortened(tokens.access_token)],
      ['refresh_token', shortened(tokens.refresh_token)],
      ['expires', `${tokens.expires_in} s`],
      ['scope', tokens.scope],
      ['organization_id', tokens.organization_id ?? 'none: the user’s own records'],
      ['access rights', `${_pagination.total_items} on ${_pagination.pages} pages`],
    ],
    items,
  });
