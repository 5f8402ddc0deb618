import fc from 'fast-check';
import { seed } from './seed.ts';

/** Every property draws with the seed of the run. */
fc.configureGlobal({ seed });
