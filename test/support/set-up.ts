import fc from 'fast-check';
import { takePairsAgain } from './keys/rsa-pairs.ts';
import { seed } from './seed.ts';
import { failOnTrouble } from './trouble/expect-trouble.ts';

/** Before each file. One module calls it for each set of files, because loading one takes 10 ms per file. */
export const setUp = (): void => {
  fc.configureGlobal({ seed }); // all properties use the seed of the run
  takePairsAgain();
  failOnTrouble();
};
