import fc from 'fast-check';
import { seed } from './seed.ts';

/** All properties use the seed of the run. */
fc.configureGlobal({ seed });
