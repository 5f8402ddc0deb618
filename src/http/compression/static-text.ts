import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { isSameTag } from '../answers/send-json.ts';
import { addVary } from './compress-answers.ts';
import { acceptedCoding, type Coding, compress, worthCompressing } from './compress.ts';

const compressOnce = promisify(compress);

export type SendStatic = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * A text for everybody, encoded, tagged and compressed once and sent from the same buffers (DO-02), with a tag for each coding
 * (RFC 9110 §8.8.3.3); `@fastify/static` reads files for each client, `@fastify/etag` hashes each answer. The caller sets headers, also of the 304.
 */
export const makeStaticText = (mediaType: string, text: string): SendStatic => {
  const body = Buffer.from(text);
  const tag = hash('sha256', body, 'base64url').slice(0, 22);
  const compressed = new Map<Coding, Promise<Buffer>>();
  const inCoding = (coding: Coding): Promise<Buffer> => {
    const known = compressed.get(coding);
    if (known) return known;
    const made = compressOnce(coding, body, 'once');
    compressed.set(coding, made);
    return made;
  };
  const isShort = body.length <= worthCompressing;
  return async (request, reply) => {
    const coding = isShort ? null : acceptedCoding(request.headers['accept-encoding']);
    const etag = coding === null ? `"${tag}"` : `"${tag}-${coding}"`;
    reply.header('etag', etag);
    addVary(reply);
    if (isSameTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    reply.header('content-type', mediaType);
    if (coding === null) return reply.send(body);
    return reply.header('content-encoding', coding).send(await inCoding(coding));
  };
};

/** The same, made at the first request: it takes a while, or needs the public address, known after `listen`. */
export const makeStaticTextLater = (mediaType: string, make: () => string): SendStatic => {
  let send: SendStatic | undefined;
  return (request, reply) => {
    send ??= makeStaticText(mediaType, make());
    return send(request, reply);
  };
};
