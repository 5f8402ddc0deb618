import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Instant } from '../../domain/decision.ts';
import type { Addon } from '../../commands/find-addon.ts';
import { exposedLimits } from '../rate-limits.ts';
import type { ReadModels } from '../../projections/read-models.ts';

const originOf = (uri: string): string | undefined => /^https?:\/\/[^/?]+/.exec(uri)?.[0];

const keepFor = 5_000;

/**
 * Lets add-ons that run in a browser exchange and refresh: from the origins of registered redirect URIs only, and
 * without cookies (TK-11).
 */
export const makeTokenCors = (readModels: Pick<ReadModels, 'addons'>, now: () => Instant) => {
  let known: { readonly origins: ReadonlySet<string | undefined>; readonly until: Instant } | undefined;

  const registeredOrigins = async () => {
    if (!known || known.until <= now()) {
      const addons = await readModels.addons();
      known = {
        origins: new Set(addons.flatMap(({ redirectUris }) => redirectUris.map(originOf))),
        until: now() + keepFor,
      };
    }
    return known.origins;
  };

  return {
    preflight: async ({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { origin } = headers;
      reply.code(204).headers({ allow: 'POST, OPTIONS', vary: 'Origin' });
      if (origin !== undefined && (await registeredOrigins()).has(origin))
        reply.headers({
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'authorization, content-type',
          'access-control-max-age': '600',
        });
      return reply.send();
    },
    /** The answer itself allows only the calling add-on's own origins. */
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
