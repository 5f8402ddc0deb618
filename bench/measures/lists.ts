import { startChild } from '../child.ts';
import { load } from '../load.ts';
import type { Result } from '../results.ts';
import { done, type World } from '../world.ts';
import { withLatency } from './tokens.ts';

/** A list page with the bearer check, compared with a bare Fastify route with one indexed query of as many rows. */
export const measureLists = async (
  world: World,
  { seconds }: { readonly seconds: number },
): Promise<readonly Result[]> => {
  const { baseUrl, servers } = world;
  const authorization = `Bearer ${await accessToken(world)}`;
  const bare = await startChild<{ baseUrl: string }>('bare-route', servers.databaseUrl, '25');
  const results: Result[] = [];
  const bareRows = (inFlight: number, duration: number) =>
    load({
      baseUrl: bare.said.baseUrl,
      inFlight,
      seconds: duration,
      expect: 200,
      step: { method: 'GET', path: '/rows' },
    });
  const listPage = (inFlight: number, duration: number) =>
    load({
      baseUrl,
      inFlight,
      seconds: duration,
      expect: 200,
      step: { method: 'GET', path: '/access-rights?page=2', headers: { authorization } },
    });
  await bareRows(16, 2);
  await listPage(16, 2);
  for (const inFlight of [16, 64]) {
    const ceiling = await bareRows(inFlight, seconds);
    const page = await listPage(inFlight, seconds);
    results.push(...withLatency(`list-${inFlight}`, page, ceiling));
  }
  await bare.stop();
  return results;
};

/** A token for the organization of the signed-in administrator. */
export const accessToken = async (world: World): Promise<string> => {
  const { baseUrl, cookie, authorizePath, clientId, redirectUri, codeVerifier, core } = world;
  const authorized = await fetch(`${baseUrl}${authorizePath}`, { headers: { cookie }, redirect: 'manual' });
  const code = new URL(authorized.headers.get('location') ?? '').searchParams.get('code') ?? '';
  return done(
    await core.commands.exchangeCode({ addonId: clientId, code, redirectUri, codeVerifier, resources: null }),
  ).accessToken;
};
