/**
 * Which of the three tiers runs, independent of the test runner, because its configuration uses it as well. `NAME.test.ts`
 * is of the first one (`npm test`), `NAME.system.test.ts` of the second one (`npm run test:all`); the third one
 * (`npm run test:release`) is both of them at length.
 */
export const systemTests = '.system.test.ts';

/** Whether tests repeat themselves as often as they can: more rounds, bits, samples, looks and days of the same kind. */
export const isRelease = process.env['GRANTBOOK_TESTS'] === 'release';
