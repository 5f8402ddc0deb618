import type { Command } from 'commander';
import { removalOf } from '../../audit/retention/removals.ts';
import { type About, aboutKinds } from '../../domain/event-subjects.ts';
import { grantStream } from '../../domain/streams.ts';
import { refused, type Answer } from '../base/answer.ts';
import { parseId } from '../base/option-values.ts';
import type { CliService } from '../base/service.ts';

export type AboutOptions = {
  readonly organization?: string;
  readonly addon?: string;
  readonly user?: string;
  readonly grant?: string;
};

/** Adds the options that say what a query is about; exactly one is needed. */
export const withAbout = (command: Command): Command =>
  command
    .option('--organization <organization>', 'what happened to this organization_id', parseId)
    .option('--addon <id>', 'what happened to this client_id', parseId)
    .option('--user <id>', 'what happened to this user_id', parseId)
    .option('--grant <id>', 'what happened to this grant', parseId);

/** @throws a usage error unless exactly one is given */
export const aboutIn = (command: Command, options: AboutOptions): About => {
  const [about, ...others] = aboutKinds.flatMap((kind): readonly About[] => {
    const id = options[kind];
    return id === undefined ? [] : [{ kind, id }];
  });
  if (about && others.length === 0) return about;
  return command.error('error: exactly one of --organization, --addon, --user and --grant is required');
};

const words = { organization: 'organization', addon: 'add-on', user: 'user', grant: 'grant' } as const;

/** Refuses a subject that never occurred in the log; null when it is known. */
export const unlessKnown = async (service: CliService, about: About): Promise<Answer | null> =>
  (await service.audit.timeline.exists(about))
    ? null
    : ((about.kind === 'grant' ? await refusedAsRemoved(service, grantStream(about.id)) : null) ??
      refused(`${about.kind}-unknown`, `no ${words[about.kind]} has the id ${about.id} of --${about.kind}`));

/** Refuses a stream that documented retention has removed; null for every other. */
export const refusedAsRemoved = async (
  { store }: Pick<CliService, 'store'>,
  stream: string,
): Promise<Answer | null> => {
  const removed = await removalOf(store, stream);
  return (
    removed &&
    refused(
      'removed',
      `${stream} was removed at ${new Date(removed.at).toISOString()} by documented retention, as ${removed.category} (docs/reference/retention.md)`,
    )
  );
};
