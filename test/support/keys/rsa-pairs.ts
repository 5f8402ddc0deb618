import crypto, { generateKeyPair, type KeyPairKeyObjectResult } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

/**
 * Pairs of RSA keys for the service in this process. One takes as long to make as many tests: the files of a worker get the
 * same ones, and each file gets every pair once.
 */
const pairs: Promise<KeyPairKeyObjectResult>[] = [];
let taken = 0;

/** For the setup of each file, or where no key of before is left. */
export const takePairsAgain = (): void => void (taken = 0);

const make = promisify(generateKeyPair);
const take = (type: 'rsa' | 'ec', options: object) => {
  if (type !== 'rsa') return make(type as 'ec', options as { namedCurve: string });
  const pair = (pairs[taken] ??= make(type, options as { modulusLength: number }));
  taken += 1;
  return pair;
};

const withCallback = (...given: Parameters<typeof generateKeyPair>) => generateKeyPair(...given);
Object.assign(crypto, { generateKeyPair: Object.assign(withCallback, { [promisify.custom]: take }) });
syncBuiltinESMExports();
