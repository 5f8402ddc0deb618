import type { Asked } from './names.ts';

type Of = { readonly organization: string; readonly addon: string };

/** The seeded events are all of one moment: tokens were open for a minute from then on. */
const moment = ['2026-01-01T00:00:30Z', '2026-02-01'] as const;

/** What an auditor asks about one organization, as `grantbook` takes it. `file` must not be there. */
export const commandOf = (asked: Asked, { organization, addon }: Of, file: string): readonly string[] => {
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
  }
};

/** What every command costs that opens the service, and asks next to nothing. */
export const startingCommand = ({ organization, addon }: Of): readonly string[] => [
  'activation',
  'show',
  '--organization',
  organization,
  '--addon',
  addon,
];
