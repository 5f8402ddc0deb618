import type { Asked } from './names.ts';

type Of = Readonly<Record<'organization' | 'user' | 'addon' | 'grant', string>> & {
  /** The file of a signed head that covers the log. */
  readonly head: string;
};

/** All seeded events have the same time; their tokens are valid for a minute from then on. */
const moment = ['2026-01-01T00:00:30Z', '2026-02-01'] as const;

/** An auditor's query as arguments of `grantbook`. `file` must not exist. */
export const commandOf = (asked: Asked, ids: Of, file: string): readonly string[] => {
  const { organization, addon, head } = ids;
  const of = ['--organization', organization];
  switch (asked) {
    case 'as-of':
      return ['audit', 'as-of', ...of, '--at', moment[0]];
    case 'exposure':
      return ['audit', 'exposure', ...of, '--addon', addon, '--from', '2025-12-31', '--to', moment[1]];
    case 'timeline':
      return ['audit', 'timeline', ...of, '--limit', '1000'];
    case 'records':
      return ['audit', 'timeline', ...of, '--limit', '1000', '--records', '--before', 'end'];
    case 'export':
      return ['audit', 'export', ...of, '-o', file];
    case 'proof':
      return ['audit', 'export', ...of, '-o', file, '--head', head];
    case 'user':
    case 'addon':
    case 'grant':
      return ['audit', 'timeline', `--${asked}`, ids[asked], '--limit', '1000'];
  }
};

/** The cost of any command that opens the service, with almost no query. */
export const startingCommand = ({
  organization,
  addon,
}: Pick<Of, 'organization' | 'addon'>): readonly string[] => [
  'activation',
  'show',
  '--organization',
  organization,
  '--addon',
  addon,
];

/** Signs a head of the whole log into a new file; a worker has already stored the tiles. */
export const headCommand = (file: string): readonly string[] => ['audit', 'head', '--sign', '-o', file];
