import { createHash, randomBytes, webcrypto } from 'node:crypto';
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
  const [authority, server] = await Promise.all([newKeys(), newKeys()]);
  const authorityId = await keyIdentifier(authority);
  const ofAuthority = await certificateOf(authority, authority, AUTHORITY, [
    extension(BASIC_CONSTRAINTS, new BasicConstraints({ cA: true }).toSchema(), true),
    extension(KEY_USAGE, new BitString({ valueHex: MAY_SIGN_CERTIFICATES, unusedBits: 2 }), true),
    extension(SUBJECT_KEY, new OctetString({ valueHex: authorityId })),
  ]);
  const ofServer = await certificateOf(server, authority, 'localhost', [
    extension(SUBJECT_ALTERNATIVE_NAMES, loopback().toSchema()),
    extension(EXTENDED_KEY_USAGE, new ExtKeyUsage({ keyPurposes: [SERVER_AUTHENTICATION] }).toSchema()),
    extension(AUTHORITY_KEY, issuedBy(authorityId).toSchema()),
  ]);
  const key = await webcrypto.subtle.exportKey('pkcs8', server.privateKey);
  return {
    authority: pem('CERTIFICATE', ofAuthority),
    certificate: pem('CERTIFICATE', ofServer),
    key: pem('PRIVATE KEY', key),
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
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
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

/** Version 3, in DER. */
async function certificateOf(
  { publicKey }: Keys,
  { privateKey }: Keys,
  subject: string,
  extensions: Extension[],
): Promise<ArrayBuffer> {
  const certificate = new Certificate({ version: 2, serialNumber: serialNumber(), extensions });
  certificate.issuer.typesAndValues.push(commonName(AUTHORITY));
  certificate.subject.typesAndValues.push(commonName(subject));
  const now = Math.floor(Date.now() / 1000);
  certificate.notBefore.value = new Date((now - VALID.before) * 1000);
  certificate.notAfter.value = new Date((now + VALID.after) * 1000);
  certificate.notAfter.type = 1; // GeneralizedTime, required from 2050 on (RFC 5280 §4.1.2.5)
  await certificate.subjectPublicKeyInfo.importKey(publicKey);
  await certificate.sign(privateKey, 'SHA-256');
  return certificate.toSchema(true).toBER(false);
}

/** Positive, and without a leading zero (RFC 5280 §4.1.2.2). */
function serialNumber(): Integer {
  const bytes = Uint8Array.from(randomBytes(16));
  bytes[0] = 0x40 | (Number(bytes[0]) & 0x3f);
  return new Integer({ valueHex: bytes.buffer });
}

const commonName = (name: string) =>
  new AttributeTypeAndValue({ type: COMMON_NAME, value: new Utf8String({ value: name }) });

const loopback = () =>
  new GeneralNames({
    names: [
      new GeneralName({ type: 2, value: 'localhost' }),
      new GeneralName({ type: 7, value: new OctetString({ valueHex: Uint8Array.of(127, 0, 0, 1).buffer }) }),
    ],
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
