import type { FastifyRequest } from 'fastify';
import type { Browser } from '../base/browser.ts';
import { clientNetwork, clientNetworks } from '../requests/client-network.ts';

/** Where an attempt with a password comes from: those to sign in and those to change it are counted together. */
export const attemptOrigin = ({ cookies }: Pick<Browser, 'cookies'>, request: FastifyRequest) => ({
  network: clientNetwork(request),
  around: clientNetworks(request),
  device: cookies.device(request) ?? null,
});
