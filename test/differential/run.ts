import type { Clients } from './clients.ts';
import { encoded, type EdgeRequest, type Given, type Pairs } from './edge-request.ts';
import { outcomeOf, type Outcome } from './outcome.ts';
import { authorize, exchangeBase, prepare, spoiltIdTokens, type Values } from './prepare.ts';
import type { Side } from './side.ts';
import { form, visit, type Jar, type User } from './visitor.ts';

/** Sends requests to one server, each with what it needs, and tells how each was answered. */
export const makeRunner = async (side: Side, clients: Clients) => {
  const jars = { approved: new Map(), 'signed-in': new Map() } satisfies Partial<Record<User, Jar>>;
  await authorize(side, jars['signed-in'], clients.web, { goal: 'approval', user: 'signed-in' });
  for (const client of [clients.web, clients.confidential, clients.codeOnly])
    await authorize(side, jars.approved, client);
  const fixed = await hints(side, clients);

  const jarOf = async (browser: EdgeRequest['browser']): Promise<Jar> => {
    if (browser === 'approved' || browser === 'signed-in') return new Map(jars[browser]);
    const fresh: Jar = new Map();
    if (browser === 'other') await authorize(side, fresh, clients.web, { user: 'other' });
    return fresh;
  };

  /** The peer forgets what was approved where a code or token is misused, so that happens in a browser of its own. */
  const makerOf = ({ made }: Given): Jar =>
    made === 'code' || made === 'tokens' ? jars.approved : new Map();

  return async (request: EdgeRequest): Promise<Outcome> => {
    const { given, after, browser, endpoint, method, headers, goal } = request;
    const made = given ? await prepare(side, makerOf(given), clients, given) : {};
    if (after > 0) await side.advance(after * 1_000);
    const fill = filler({ ...fixed, ...made });
    const query = encoded(fillIn(fill, request.query));
    const body = request.body === undefined ? undefined : encoded(fillIn(fill, request.body));
    const sent = {
      method,
      target: `/oauth/${endpoint}${query && `?${query}`}`,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
      body,
    };
    const answer = await visit(side, await jarOf(browser), sent, goal, 'other');
    const params = new URLSearchParams([query, body].filter(Boolean).join('&'));
    const asked = {
      state: params.get('state') ?? undefined,
      redirectUri: params.get('redirect_uri') ?? undefined,
    };
    return outcomeOf(side, { endpoint, ...asked }, answer);
  };
};

const filler =
  (values: Values) =>
  (text: string): string =>
    text.replaceAll(/\{([a-z_ ]+)\}/g, (_whole, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`nothing was made that is called ${name}`);
      return value;
    });

const fillIn = (fill: (text: string) => string, pairs: Pairs | string): Pairs | string =>
  typeof pairs === 'string' ? fill(pairs) : pairs.map(([name, value]) => [name, fill(value)] as const);

/** id_tokens of either user and of another client, and their spoilt copies. */
const hints = async (side: Side, clients: Clients): Promise<Values> => {
  const idTokenOf = async (user: User, client: Clients[keyof Clients]): Promise<string> => {
    const params = await authorize(side, new Map(), client, { user });
    const fields = {
      ...exchangeBase(client),
      code: params.get('code') ?? '',
      ...(client.confidential && { client_secret: client.secret }),
    };
    const answer = await side.wire.send({
      method: 'POST',
      target: '/oauth/token',
      headers: { 'content-type': form },
      body: new URLSearchParams(fields).toString(),
    });
    return (JSON.parse(answer.body) as { id_token: string }).id_token;
  };
  return {
    ...spoiltIdTokens(await idTokenOf('approved', clients.web)),
    'id_token of another user': await idTokenOf('other', clients.web),
    'id_token of another client': await idTokenOf('approved', clients.confidential),
  };
};
