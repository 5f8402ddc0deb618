import { afterAll } from 'vitest';
import type { Method } from '../../../src/http/openapi/describe.ts';
import { describedOperations } from '../documents/described-operations.ts';
import { pagesOf } from '../documents/registered-routes.ts';
import { startHttpApp } from './http-app.ts';
import { activate, createUser, obtainTokens, publish, setScene, signedIn } from './http-scene.ts';
import { tokenOf } from './operator-api.ts';
import { ownToken } from './told-addons.ts';

/** An operation of the service, with what lets a request get as far as its input. */
export type Route = {
  readonly method: Exclude<Method, 'OPTIONS'>;
  readonly template: string;
  readonly as: 'nobody' | 'person' | 'operator' | 'addon' | 'own addon';
  /** Of the body. */
  readonly types: readonly string[];
};

export type Sent = { readonly url: string; readonly type?: string; readonly body?: string | Buffer };

export const formType = 'application/x-www-form-urlencoded';

/** Of what all routes refuse alike, because they share what reads it, each is sent another one. */
export const inTurn = <T>(all: readonly T[], turn: number): T => all[turn % all.length] as T;

const whoCalls = (security: readonly object[]): Route['as'] => {
  const schemes = security.flatMap(Object.keys);
  if (schemes.includes('session')) return 'person';
  if (schemes.includes('administratorToken')) return 'operator';
  if (schemes.includes('clientCredentials')) return 'own addon';
  return schemes.includes('oauth2') ? 'addon' : 'nobody';
};

/** Pages that nobody has to be signed in for. */
const isForAll = (url: string) =>
  /^\/($|sign-|choose-password|\.well-known|oauth\/(?!authorize\/decision))/.test(url);

/** A service, all its routes, and somebody who may do everything there. It is closed after the tests of the file. */
export const startEveryRoute = async () => {
  const http = await startHttpApp();
  afterAll(() => http.close());
  const all: readonly (Pick<Route, 'template' | 'as' | 'types'> & { readonly method: Method })[] = [
    ...(await describedOperations(http.app)).map(({ method, template, operation }) => ({
      method,
      template,
      as: whoCalls(operation.security),
      types: Object.keys(operation.requestBody?.content ?? {}),
    })),
    ...(await pagesOf(http.app)).map(({ method, template }) => {
      const isOpen = isForAll(template) && !(method === 'POST' && template === '/');
      const types = method === 'POST' ? [formType] : [];
      return { method, template, as: isOpen ? ('nobody' as const) : ('person' as const), types };
    }),
  ];
  const routes = all.filter((route): route is Route => route.method !== 'OPTIONS');
  const scene = await setScene(http);
  const own = (await setScene(http, { confidential: true })).clientId;
  await activate(http, scene);
  const { organizationId } = scene;
  const email = 'ada.all@example.com';
  const roles = ['operator', 'auditor'] as const;
  const userId = await createUser(http, email, [organizationId], { roles, auditorOf: [organizationId] });
  await publish(http, own, userId);
  const bearers: Partial<Record<Route['as'], string>> = {
    operator: (await tokenOf(http, userId)).authorization,
    addon: `Bearer ${(await obtainTokens(http, scene, { subject: 'user' })).access_token}`,
    'own addon': `Bearer ${await ownToken(http, own, 'ssf.read', 'ssf.manage')}`,
  };
  const cookies = Object.fromEntries((await signedIn(http, { email })).cookies);
  await http.settle();
  return {
    http,
    routes,
    scene,
    /** Of what is there: the add-on has the publisher, of which the user is a member. */
    ids: { organization_id: organizationId, client_id: own, user_id: userId } as Readonly<
      Record<string, string>
    >,
    send: ({ method, as }: Pick<Route, 'method' | 'as'>, { url, type, body }: Sent) =>
      http.app.inject({
        method,
        url,
        ...(as === 'person' && { cookies }),
        headers: {
          ...(bearers[as] !== undefined && { authorization: bearers[as] }),
          ...(type !== undefined && { 'content-type': type }),
        },
        ...(body !== undefined && { payload: body }),
      }),
  };
};
