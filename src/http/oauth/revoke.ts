import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpNeeds } from '../needs.ts';
import { path } from '../routes.ts';
import { traceparentOf } from '../trace.ts';
import { onlyPost, refuseClient } from './client-endpoint.ts';
import { readPresentedToken } from './presented-token.ts';
import { noStore, revocationAnswers, sendTokenError } from './token-answers.ts';
import { makeTokenCors } from './token-cors.ts';

/** `/oauth/revoke` (RFC 7009): an add-on gives back a token. Public ones too, also from a browser. */
export const registerRevoke = (app: FastifyInstance, { commands, readModels, now }: HttpNeeds): void => {
  const cors = makeTokenCors(readModels, now);

  const revoke = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const presented = await readPresentedToken(commands, request);
    if (!presented.ok) return refuseClient(request, reply, presented.answer);
    const { addon, token } = presented;
    const { origin } = request.headers;
    if (origin !== undefined) cors.allow(reply, origin, addon);
    const revoked = await commands.revokeToken({ addonId: addon.addonId, token }, traceparentOf(request));
    if (!revoked.ok) {
      const { refusal: reason } = revoked;
      return sendTokenError(reply, { ...revocationAnswers[reason], reason });
    }
    return reply.code(200).headers(noStore).send();
  };

  path(app, '/oauth/revoke', { POST: revoke, OPTIONS: cors.preflight }, onlyPost);
};
