import type { FastifyInstance } from 'fastify';
import { valueOf } from '../outcomes.ts';
import { createUser, type Served } from './http-scene.ts';

type Headers = Readonly<Record<string, string>>;
export type Item = Readonly<Record<string, unknown>>;
export type ApiMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** A request's own headers, other credentials, or another instance. */
export type More = { readonly headers?: Headers; readonly as?: Headers; readonly app?: FastifyInstance };

/** Calls an API of JSON with these credentials; `kind` is that of a problem. */
export const apiAt =
  (http: Pick<Served, 'app'>, root: string, credentials: Headers) =>
  async (
    method: ApiMethod,
    path: string,
    body?: object,
    { headers, as = credentials, app = http.app }: More = {},
  ) => {
    const url = `${root}${path}`;
    const payload = body && { payload: body };
    const answer = await app.inject({ method, url, headers: { ...as, ...headers }, ...payload });
    const text = answer.body;
    const json = text === '' ? {} : answer.json<Item & { readonly type?: string }>();
    const kind = json.type?.replace(/.*\//, '');
    return { status: answer.statusCode, json, kind, headers: answer.headers, text };
  };

/** An administrator token of a user, as the header of a program. */
export const tokenOf = async (
  { commands }: Pick<Served, 'commands'>,
  userId: string,
  organizationId: string | null = null,
) => {
  const asked = { userId, organizationId, name: `for ${organizationId ?? 'all'}`, days: 30, by: userId };
  return { authorization: `Bearer ${valueOf(await commands.issueAdministratorToken(asked)).token}` };
};

/** An operator, and the operators' API with a token of theirs. */
export const operatorApi = async (http: Pick<Served, 'app' | 'commands'>, name = 'olive') => {
  const email = `${name}@example.com`;
  const userId = await createUser(http, email, [], { name, roles: ['operator'] });
  const credentials = await tokenOf(http, userId);
  return { userId, email, credentials, call: apiAt(http, '/operator/api/', credentials) };
};
