import { createHash, randomBytes } from 'node:crypto';
import { Integer, Null, OctetString } from 'asn1js';
import {
  AlgorithmIdentifier,
  Certificate,
  ExtKeyUsage,
  MessageImprint,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';

const sha256 = '2.16.840.1.101.3.4.2.1';
const timeStamping = '1.3.6.1.5.5.7.3.8';
const extKeyUsage = '2.5.29.37';

/** A timestamp that proves nothing. The message is a predicate: "is over something else". */
export class BadTimestamp extends Error {
  override readonly name = 'BadTimestamp';
}

export type Timestamp = {
  /** When the authority received the bytes, milliseconds since the Unix epoch. */
  readonly at: number;
  /** The subject of the authority's certificate, for people. */
  readonly authority: string;
  /** Whether the certificate chain leads to one of the given certificates. */
  readonly trusted: boolean;
};

/** A request for these bytes (RFC 3161 §2.4.1), DER; the answer includes the certificate. */
export const timestampRequest = (data: Buffer, nonce: Buffer = randomBytes(8)): Buffer =>
  Buffer.from(
    new TimeStampReq({
      version: 1,
      messageImprint: new MessageImprint({
        hashAlgorithm: new AlgorithmIdentifier({ algorithmId: sha256, algorithmParams: new Null() }),
        hashedMessage: new OctetString({ valueHex: createHash('sha256').update(data).digest() }),
      }),
      nonce: new Integer({ valueHex: Buffer.concat([Buffer.of(1), nonce]) }), // positive for all random bytes
      certReq: true,
    })
      .toSchema()
      .toBER(),
  );

/**
 * Verifies an authority's answer offline: that it is for these bytes, and signed by the certificate in it, which is
 * allowed to sign timestamps.
 * @param trusted certificates of authorities (DER); without them, the owner of the certificate is not verified
 * @throws BadTimestamp
 */
export const verifyTimestamp = async (
  response: Buffer,
  data: Buffer,
  trusted: readonly Buffer[] = [],
): Promise<Timestamp> => {
  const { signed, info } = parse(response);
  const imprint = Buffer.from(info.messageImprint.hashedMessage.valueBlock.valueHexView);
  if (info.messageImprint.hashAlgorithm.algorithmId !== sha256)
    throw new BadTimestamp('is over another kind of hash than SHA-256');
  if (!imprint.equals(createHash('sha256').update(data).digest()))
    throw new BadTimestamp('is over something else');
  const certificate = await verifySigner(signed, data, []);
  return {
    at: info.genTime.getTime(),
    authority: nameOf(certificate),
    trusted: trusted.length > 0 && (await leadsTo(signed, data, trusted)),
  };
};

const parse = (response: Buffer): { readonly signed: SignedData; readonly info: TSTInfo } => {
  let answer: TimeStampResp;
  try {
    answer = TimeStampResp.fromBER(plain(response));
  } catch {
    throw new BadTimestamp('is no answer of a timestamp authority (RFC 3161)');
  }
  // 0 granted, 1 granted with modifications.
  if (answer.status.status > 1 || !answer.timeStampToken)
    throw new BadTimestamp(`was refused by the authority (status ${answer.status.status})`);
  try {
    const signed = new SignedData({ schema: answer.timeStampToken.content });
    const content = signed.encapContentInfo.eContent?.valueBlock.valueHexView ?? new Uint8Array();
    return { signed, info: TSTInfo.fromBER(plain(content)) };
  } catch {
    throw new BadTimestamp('holds no timestamp (RFC 3161 §2.4.2)');
  }
};

const verifySigner = async (
  signed: SignedData,
  data: Buffer,
  trustedCerts: Certificate[],
): Promise<Certificate> => {
  const { signatureVerified, signerCertificate } = await signed
    .verify({
      signer: 0,
      data: plain(data).buffer,
      checkChain: trustedCerts.length > 0,
      trustedCerts,
      extendedMode: true,
    })
    .catch(() => ({ signatureVerified: false, signerCertificate: null }));
  if (signatureVerified !== true || !signerCertificate)
    throw new BadTimestamp('was changed, or is not signed by the certificate in it');
  const usage = signerCertificate.extensions?.find(({ extnID }) => extnID === extKeyUsage)
    ?.parsedValue as unknown;
  if (!(usage instanceof ExtKeyUsage) || !usage.keyPurposes.includes(timeStamping))
    throw new BadTimestamp('is signed by a certificate that may not make timestamps');
  return signerCertificate;
};

const leadsTo = async (signed: SignedData, data: Buffer, trusted: readonly Buffer[]): Promise<boolean> => {
  const certificates = trusted.map((der) => Certificate.fromBER(plain(der)));
  return verifySigner(signed, data, certificates).then(
    () => true,
    () => false,
  );
};

const nameOf = ({ subject }: Certificate): string =>
  subject.typesAndValues.map(({ value }) => String(value.valueBlock.value)).join(', ');

/** A copy in its own memory, as the library requires. */
const plain = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);
