import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { verifier } from './grants.ts';
import {
  hasPages,
  obtainCode,
  postToken,
  redirectUri,
  tokensFor,
  type Flow,
  type Scene,
  type Served,
  type Tokens,
} from './http-scene.ts';

type Fields = Readonly<Record<string, string>>;

export const basic = (user: string, secret: string): Fields => ({
  authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
});

/** The credentials of a scene's add-on: Basic with a secret, otherwise only its id. */
export const credentialsOf = ({ clientId, clientSecret }: Scene) =>
  clientSecret === null
    ? { fields: { client_id: clientId }, headers: {} }
    : { fields: {}, headers: basic(clientId, clientSecret) };

export type Endpoint = '/oauth/revoke' | '/oauth/introspect';

export const present = (
  app: FastifyInstance,
  url: Endpoint,
  fields: Fields,
  headers: Fields = {},
): Promise<LightMyRequestResponse> =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });

/** Presents a token as the scene's add-on. */
export const presentAs = ({ app }: Served, url: Endpoint, scene: Scene, fields: Fields) => {
  const own = credentialsOf(scene);
  return present(app, url, { ...own.fields, ...fields }, own.headers);
};

/** The whole flow up to a pair of tokens, for an add-on that may have a secret. */
export const obtainTokensOf = async (http: Served, scene: Scene, flow: Flow = {}): Promise<Tokens> => {
  if (http.codeOf && !hasPages(http.app)) return tokensFor(http, scene, flow);
  const own = credentialsOf(scene);
  const answer = await postToken(
    http.app,
    {
      ...own.fields,
      grant_type: 'authorization_code',
      code: await obtainCode(http, scene, flow),
      redirect_uri: redirectUri,
      code_verifier: verifier,
    },
    own.headers,
  );
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json();
};

export const refreshOf = async ({ app }: Served, scene: Scene, refreshToken: string) => {
  const own = credentialsOf(scene);
  const fields = { ...own.fields, grant_type: 'refresh_token', refresh_token: refreshToken };
  return postToken(app, fields, own.headers);
};
