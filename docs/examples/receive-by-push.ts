import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';

type Receiver = { issuer: string; clientId: string; authorization: string };
type Refusal = { err: string; description: string };

export const receiveByPush = (receiver: Receiver, handle: (set: JWTPayload) => Promise<void>) => {
  const { issuer, clientId, authorization } = receiver;
  const keys = createRemoteJWKSet(new URL(`${issuer}/oauth/jwks`));
  const expected = { issuer, audience: clientId, typ: 'secevent+jwt' };
  return createServer((request, answer) => {
    const headers = { 'content-type': 'application/json', 'content-language': 'en' };
    const refuse = (refusal: Refusal) => answer.writeHead(400, headers).end(JSON.stringify(refusal));
    const receive = async () => {
      if (request.headers.authorization !== authorization)
        return refuse({ err: 'authentication_failed', description: 'the Authorization header is not mine' });
      const verified = await jwtVerify(await text(request), keys, expected).catch((error: Error) => error);
      if (verified instanceof Error)
        return refuse({ err: 'invalid_request', description: `not a SET for me: ${verified.message}` });
      await handle(verified.payload); // may get the same jti again: it is taken only with the answer
      return answer.writeHead(202).end();
    };
    receive().catch(() => answer.writeHead(500).end());
  });
};
