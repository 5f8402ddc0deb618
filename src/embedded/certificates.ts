import { createHash, randomBytes, webcrypto } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { BitString, Integer, OctetString, Utf8String } from 'asn1js';
import {
  AttributeTypeAndValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtKeyUsage,
  Extension,
  GeneralName,
  GeneralNames,
} from 'pkijs';

/** In PEM. The authority's own key is not included: it signs one certificate and is then discarded. */
export type ServerCertificates = {
  readonly authority: string;
  readonly certificate: string;
  /** PKCS #8. */
  readonly key: string;
};

/** Creates an authority and its certificate for a server that only this machine can reach: 127.0.0.1 and localhost. */
export async function makeServerCertificates(): Promise<ServerCertificates> {
  const { authority, issue } = await makeAuthority(AUTHORITY);
  return { authority, ...(await issue('localhost', ['server'], ['localhost', '127.0.0.1'])) };
}

/** Creates an authority, whose key stays in memory. `issue` makes a key and its certificate, for these names and IPv4 addresses. */
export async function makeAuthority(name: string) {
  const authority = await newKeys();
  const authorityId = await keyIdentifier(authority);
  const certificate = (keys: Keys, subject: string, extensions: readonly Extension[]) =>
    certificateOf(keys, subject, { ...authority, name }, extensions);
  return {
    authority: await certificate(authority, name, [
      extension(BASIC_CONSTRAINTS, new BasicConstraints({ cA: true }).toSchema(), true),
      extension(KEY_USAGE, new BitString({ valueHex: MAY_SIGN_CERTIFICATES, unusedBits: 2 }), true),
      extension(SUBJECT_KEY, new OctetString({ valueHex: authorityId })),
    ]),
    issue: async (subject: string, uses: readonly (keyof typeof USES)[], hosts: readonly string[] = []) => {
      const keys = await newKeys();
      return {
        certificate: await certificate(keys, subject, [
          ...(hosts.length > 0 ? [extension(SUBJECT_ALTERNATIVE_NAMES, namesOf(hosts).toSchema())] : []),
          extension(
            EXTENDED_KEY_USAGE,
            new ExtKeyUsage({ keyPurposes: uses.map((use) => USES[use]) }).toSchema(),
          ),
          extension(AUTHORITY_KEY, issuedBy(authorityId).toSchema()),
        ]),
        key: pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
      };
    },
  };
}

const AUTHORITY = 'Grantbook embedded event store';
/** Object identifiers: RFC 5280 §4.2.1, and the common name. Python's strict verification requires all of them. */
const SUBJECT_KEY = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_ALTERNATIVE_NAMES = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const USES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };
const COMMON_NAME = '2.5.4.3';
const MAY_SIGN_CERTIFICATES = Uint8Array.of(0b0000_0100).buffer;

/** In seconds. Generous, so that neither a clock that is set back nor a service that runs for years invalidates it. */
const VALID = { before: 31_536_000, after: 3_153_600_000 };

type Keys = webcrypto.CryptoKeyPair;

const newKeys = (): Promise<Keys> =>
  webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);

const keyIdentifier = async ({ publicKey }: Keys): Promise<ArrayBuffer> => {
  const point = await webcrypto.subtle.exportKey('raw', publicKey);
  return Uint8Array.from(createHash('sha256').update(new Uint8Array(point)).digest().subarray(0, 20)).buffer;
};

/** Version 3, in PEM. */
async function certificateOf(
  { publicKey }: Keys,
  subject: string,
  issuer: Pick<Keys, 'privateKey'> & { readonly name: string },
  extensions: readonly Extension[],
): Promise<string> {
  const certificate = new Certificate({
    version: 2,
    serialNumber: serialNumber(),
    extensions: [...extensions],
  });
  certificate.issuer.typesAndValues.push(commonName(issuer.name));
  certificate.subject.typesAndValues.push(commonName(subject));
  const now = Math.floor(Date.now() / 1000);
  certificate.notBefore.value = new Date((now - VALID.before) * 1000);
  certificate.notAfter.value = new Date((now + VALID.after) * 1000);
  certificate.notAfter.type = 1; // GeneralizedTime, required from 2050 on (RFC 5280 §4.1.2.5)
  await certificate.subjectPublicKeyInfo.importKey(publicKey);
  await certificate.sign(issuer.privateKey, 'SHA-256');
  return pem('CERTIFICATE', certificate.toSchema(true).toBER(false));
}

/** Positive, and without a leading zero (RFC 5280 §4.1.2.2). */
function serialNumber(): Integer {
  const bytes = Uint8Array.from(randomBytes(16));
  bytes[0] = 0x40 | (Number(bytes[0]) & 0x3f);
  return new Integer({ valueHex: bytes.buffer });
}

const commonName = (name: string) =>
  new AttributeTypeAndValue({ type: COMMON_NAME, value: new Utf8String({ value: name }) });

const namesOf = (hosts: readonly string[]) =>
  new GeneralNames({
    names: hosts.map((host) =>
      isIPv4(host)
        ? new GeneralName({
            type: 7,
            value: new OctetString({ valueHex: Uint8Array.from(host.split('.'), Number).buffer }),
          })
        : new GeneralName({ type: 2, value: host }),
    ),
  });

const issuedBy = (keyId: ArrayBuffer) =>
  new AuthorityKeyIdentifier({ keyIdentifier: new OctetString({ valueHex: keyId }) });

const extension = (extnID: string, content: { toBER(): ArrayBuffer }, critical = false) =>
  new Extension({ extnID, critical, extnValue: content.toBER() });

function pem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
