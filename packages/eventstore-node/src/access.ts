import { timingSafeEqual } from 'node:crypto';
import { Metadata, status, type UntypedServiceImplementation } from '@grpc/grpc-js';

/** What a node needs to serve over TLS, and to refuse callers without its secret. */
export type NodeAccess = {
  readonly user: string;
  /** Of the characters that a URL takes as they are. */
  readonly secret: string;
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Path of the authority's certificate: what clients verify the node with. */
  readonly authorityFile: string;
};

/** The connection string that leads to the node; with the secret, where there is one. */
export const connectionString = (host: string, port: number, access: NodeAccess | undefined): string => {
  if (!access) return `esdb://${host}:${port}?tls=false`;
  const { user, secret, authorityFile } = access;
  return `esdb://${user}:${secret}@${host}:${port}?tls=true&tlsCAFile=${encodeURIComponent(authorityFile)}`;
};

/** A call as far as this is concerned; the ones that stream tell errors as events. */
type Call = { readonly metadata: Metadata; emit(event: 'error', error: object): boolean };
type Answer = (error: object) => void;

/** The same services, for callers that bring the secret (basic authentication, as the client sends it). */
export const guarded = (
  services: UntypedServiceImplementation,
  { user, secret }: Pick<NodeAccess, 'user' | 'secret'>,
): UntypedServiceImplementation => {
  const expected = Buffer.from(`Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`);
  const isAllowed = ({ metadata }: Call) =>
    metadata.get('authorization').some((value) => same(value, expected));
  const guard =
    (handle: (call: Call, answer?: Answer) => unknown) =>
    (call: Call, answer?: Answer): unknown => {
      if (isAllowed(call)) return handle(call, answer);
      return answer ? answer(unauthenticated()) : call.emit('error', unauthenticated());
    };
  return Object.fromEntries(
    Object.entries(services).map(([name, handle]) => [
      name,
      guard(handle as Parameters<typeof guard>[0]) as typeof handle,
    ]),
  );
};

const same = (value: string | Buffer, expected: Buffer): boolean => {
  const given = Buffer.from(value);
  return given.length === expected.length && timingSafeEqual(given, expected);
};

const unauthenticated = () => ({
  code: status.UNAUTHENTICATED,
  details: 'User name or secret is wrong or missing',
  metadata: new Metadata(),
});
