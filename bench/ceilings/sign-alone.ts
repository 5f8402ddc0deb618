import { generateKeyPair, SignJWT } from 'jose';

/** SETs signed per second with nothing else to do, on libuv's four threads as the service does. */
const [seconds = '3'] = process.argv.slice(2);
const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048 });
const claims = {
  iss: 'https://auth.example',
  aud: '01JD0000000000000000000000',
  jti: '01JD0000000000000000000001',
  iat: 1777622400,
  txn: '4bf92f3577b34da6a3ce929d0e0e4736',
  sub_id: { format: 'opaque', id: '01JD0000000000000000000002' },
  events: {
    'https://auth.example/signals/addon-deactivated': { organization_id: '01JD0000000000000000000002' },
  },
};
const until = performance.now() + Number(seconds) * 1000;
let signed = 0;
const began = performance.now();
await Promise.all(
  Array.from({ length: 4 }, async () => {
    while (performance.now() < until) {
      await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'secevent+jwt' }).sign(privateKey);
      signed += 1;
    }
  }),
);
console.log(JSON.stringify({ signed, perSecond: (signed / (performance.now() - began)) * 1000 }));
