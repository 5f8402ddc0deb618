import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What an authenticator and a browser are made to say, where it is not the truth. */
export type Lies = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly userHandle?: string;
  readonly id?: string;
  readonly counter?: number;
  readonly userVerified?: boolean;
  readonly synced?: boolean;
  readonly crossOrigin?: boolean;
};

type Options = {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
};

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

/** The options that a page hands to its script. */
export const optionsOf = (html: string): Options => {
  const [, text] = /data-options="([^"]*)"/.exec(html) ?? [];
  if (text === undefined) throw new Error(`no options on: ${html}`);
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')) as Options;
};

/**
 * An authenticator with one key (ES256) in this process, together with its browser: what the script of the page would
 * put into the field `credential` (WebAuthn §6).
 */
export const softPasskey = (origin: string, { synced = false, counts = true } = {}) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = base64url(randomBytes(16));
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  let counter = 0;
  let userHandle = '';
  const clientData = (type: string, { challenge }: Options, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    );
  const authenticatorData = (rpId: string, attested: Uint8Array, lies: Lies) => {
    const { userVerified = true, synced: eligible = synced } = lies;
    const flags = 0x01 | (userVerified ? 0x04 : 0) | (eligible ? 0x18 : 0) | (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(lies.counter ?? counter);
    return Buffer.concat([sha256(lies.rpId ?? rpId), Buffer.from([flags]), count, attested]);
  };
  return {
    id,
    /** The answer to `navigator.credentials.create`. */
    create: (options: Options, lies: Lies = {}): string => {
      userHandle = options.user?.id ?? '';
      const attested = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, 16]),
        Buffer.from(id, 'base64url'),
        cose,
      ]);
      const data = authenticatorData(options.rp?.id ?? '', attested, lies);
      const attestationObject = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        Buffer.from([0x59, data.length >> 8, data.length & 0xff]),
        data,
      ]);
      return JSON.stringify({
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', options, lies)),
          attestationObject: base64url(attestationObject),
          transports: ['internal'],
        },
        clientExtensionResults: {},
      });
    },
    /** The answer to `navigator.credentials.get`. */
    use: (options: Options, lies: Lies = {}): string => {
      if (counts) counter += 1;
      const clientDataJSON = clientData('webauthn.get', options, lies);
      const data = authenticatorData(options.rpId ?? '', Buffer.alloc(0), lies);
      const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), privateKey);
      return JSON.stringify({
        id: lies.id ?? id,
        rawId: lies.id ?? id,
        type: 'public-key',
        response: {
          clientDataJSON: base64url(clientDataJSON),
          authenticatorData: base64url(data),
          signature: base64url(signature),
          userHandle: lies.userHandle ?? userHandle,
        },
        clientExtensionResults: {},
      });
    },
  };
};

export type SoftPasskey = ReturnType<typeof softPasskey>;
