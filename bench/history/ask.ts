import type { Asked } from './names.ts';

type Of = Readonly<Record<'organization' | 'user' | 'addon' | 'grant', string>> & {
  /** The file of a signed head that covers the log. */
  readonly head: string;
};

/** The seeded events are all of one moment: tokens were open for a minute from then on. */
const moment = ['2026-01-01T00:00:30Z', '2026-02-01'] as const;

/** What an auditor asks, as `grantbook` takes it. `file` must not be there. */
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

/** What every command costs that opens the service, and asks next to nothing. */
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

/** Signs a head of the whole log, which a worker has kept the tiles of, into a new file. */
export const headCommand = (file: string): readonly string[] => ['audit', 'head', '--sign', '-o', file];
