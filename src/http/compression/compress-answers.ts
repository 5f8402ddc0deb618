import type { FastifyInstance, FastifyReply } from 'fastify';
import { acceptedCoding, compress, worthCompressing } from './compress.ts';

/** For answers with a secret next to text from outside: their compressed length would reveal it (BREACH). */
export const neverCompressed = 'no-store, no-transform';

/** Compresses text above 1 kB (DO-06), not with `no-transform`; strong tags become weak (RFC 9110 §8.8.3). `@fastify/compress` knows neither. */
export const compressAnswers = (app: FastifyInstance): void => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    if (size <= worthCompressing || !mayBeCompressed(reply)) return done();
    addVary(reply);
    const coding = acceptedCoding(request.headers['accept-encoding']);
    if (coding === null) return done();
    const body = typeof payload === 'string' ? Buffer.from(payload) : (payload as Buffer);
    compress(coding, body, 'each-time', (error, compressed) => {
      if (error) return done(); // send it uncompressed
      reply.header('content-encoding', coding).removeHeader('content-length');
      weaken(reply);
      done(null, compressed);
    });
  });
};

const text = /^(?:text\/|application\/(?:[\w.-]+\+)?json)/;

const mayBeCompressed = (reply: FastifyReply): boolean =>
  reply.getHeader('content-encoding') === undefined &&
  text.test(String(reply.getHeader('content-type') ?? '')) &&
  !String(reply.getHeader('cache-control')).includes('no-transform');

const weaken = (reply: FastifyReply): void => {
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string' && etag.startsWith('"')) reply.header('etag', `W/${etag}`);
};

/** Says that the answer also depends on the accepted codings. */
export const addVary = (reply: FastifyReply): void => {
  const vary = reply.getHeader('vary');
  if (vary === undefined) reply.header('vary', 'Accept-Encoding');
  else if (!/accept-encoding|\*/i.test(String(vary)))
    reply.header('vary', `${String(vary)}, Accept-Encoding`);
};
