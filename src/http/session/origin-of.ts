import type { FastifyRequest } from 'fastify';
import type { SessionOrigin } from '../../domain/sign-in/session.ts';
import { clientNetwork } from '../requests/client-network.ts';
import { deviceOf } from './device-of.ts';

/** Where a sign-in comes from, as its user will read it in the list of sessions. */
export const originOf = (request: FastifyRequest): SessionOrigin => ({
  device: deviceOf(request.headers['user-agent']),
  network: clientNetwork(request),
});
