/** The numbers of live tokens of an activation when it is deactivated. */
export const deactivationSizes = [1, 1_000, 100_000, 1_000_000] as const;
export const revocationSizes = [1_000, 100_000, 1_000_000] as const;
export const largest = 1_000_000;

const both = (name: string): readonly string[] => [name, `${name}-p99`];

/** The results of the group `revocation`. */
export const revocationNames: readonly string[] = [
  ...deactivationSizes.flatMap((size) => both(`deactivation-${size}`)),
  'deactivation-flatness',
  ...both(`deactivation-${largest}-unprojected`),
  ...revocationSizes.flatMap((size) => [`last-grant-revoked-${size}`, `last-grant-revoked-${size}-rate`]),
  'fence-share',
  'fence-share-p50',
  'fence-share-statement',
  'fence-share-statement-p50',
  'leadership-moves',
  'leadership-moves-max',
  'leadership-moves-frozen',
  'leadership-moves-frozen-max',
];

export type Wants = (name: string) => boolean;

/**
 * Which results a run makes: one selected by name always, however long it takes; the whole group without those that
 * take many minutes, and with `--quick` also without those that need a million tokens or revoke very many.
 */
export const wantedOf = (only: string | undefined, quick: boolean): Wants => {
  if (only !== undefined && revocationNames.includes(only)) return (name) => name === only;
  return (name) => !minutes.test(name) && !(quick && long.test(name));
};

const minutes = /^last-grant-revoked-1000000/;
const long = /1000000|^deactivation-flatness$|^last-grant-revoked-100000(-|$)/;
