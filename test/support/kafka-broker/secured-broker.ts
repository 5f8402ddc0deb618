import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificates } from '../servers/certificates.ts';
import { freePort } from '../servers/free-port.ts';
import { startKafkaBroker, type KafkaBroker } from './start-broker.ts';

type User = { readonly name: string; readonly password: string };

/** A broker that requires TLS with a client certificate and a password; one user has all rights, one has none. */
export const securedBroker = async (
  folder: string,
  { ca, server }: Certificates,
  { all, nothing }: { readonly all: User; readonly nothing: User },
): Promise<KafkaBroker> => {
  const [keys, trusted] = [join(folder, 'server.pem'), join(folder, 'ca.pem')];
  writeFileSync(keys, `${server.key}\n${server.cert}\n`, { mode: 0o600 });
  writeFileSync(trusted, ca);
  const port = await freePort();
  const scram = ({ name, password }: User) => `SCRAM-SHA-512=[name=${name},password=${password}]`;
  return startKafkaBroker({
    port,
    format: ['--add-scram', scram(all), '--add-scram', scram(nothing)],
    properties: {
      'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,CLIENTS:SASL_SSL',
      'sasl.enabled.mechanisms': 'SCRAM-SHA-512,PLAIN',
      'sasl.mechanism.inter.broker.protocol': 'SCRAM-SHA-512',
      'listener.name.clients.scram-sha-512.sasl.jaas.config': `org.apache.kafka.common.security.scram.ScramLoginModule required username="${all.name}" password="${all.password}";`,
      'listener.name.clients.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required user_${all.name}="${all.password}";`,
      'listener.name.clients.ssl.client.auth': 'required',
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': keys,
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': trusted,
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'allow.everyone.if.no.acl.found': 'false',
      'super.users': `User:ANONYMOUS;User:${all.name}`,
    },
  });
};
