import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Instant } from '../../../domain/kernel/decision.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { permissionsOf } from '../../requests/cors.ts';
import { exposedLimits } from '../../limits/rate-limits.ts';
import type { ReadModels } from '../../../projections/read-models.ts';

const originOf = (uri: string): string | undefined => /^https?:\/\/[^/?]+/.exec(uri)?.[0];

const keepFor = 5_000;

export const tokenPermissions = permissionsOf('POST', ['authorization', 'content-type']);

/** Lets add-ons in a browser exchange and refresh, from origins of registered redirect URIs, without cookies (TK-11). */
export const makeTokenCors = (readModels: Pick<ReadModels, 'addons'>, now: () => Instant) => {
  type Origins = ReadonlySet<string | undefined>;
  let known: { readonly origins: Promise<Origins>; readonly until: Instant } | undefined;

  /** However many preflights arrive, also while it is being read or cannot be read: one read in `keepFor`. */
  const registeredOrigins = (): Promise<Origins> => {
    if (!known || known.until <= now()) known = { origins: readOrigins(), until: now() + keepFor };
    return known.origins;
  };
  const readOrigins = async (): Promise<Origins> =>
    new Set((await readModels.addons()).flatMap(({ redirectUris }) => redirectUris.map(originOf)));

  return {
    preflight: async ({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { origin } = headers;
      reply.code(204).headers({ allow: 'POST, OPTIONS', vary: 'Origin' });
      if (origin !== undefined && (await registeredOrigins()).has(origin))
        reply.headers({
          'access-control-allow-origin': origin,
          ...tokenPermissions,
        });
      return reply.send();
    },
    allow: (reply: FastifyReply, origin: string, { redirectUris }: Addon): void => {
      reply.header('vary', 'Origin');
      if (redirectUris.some((uri) => originOf(uri) === origin))
        reply.headers({
          'access-control-allow-origin': origin,
          'access-control-expose-headers': exposedLimits,
        });
    },
  };
};

export type TokenCors = ReturnType<typeof makeTokenCors>;
