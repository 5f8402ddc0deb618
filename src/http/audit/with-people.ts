import type { Timeline } from '../../audit/timeline/timeline.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import { breakGlass } from '../../domain/kernel/actor.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { looksLikeAddress, normaliseName } from '../../domain/kernel/name.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import type { Params } from '../requests/params.ts';
import type { QuestionName } from './question.ts';

/** People of a name: one of them is to be chosen. */
export type Choice = {
  readonly parameter: 'user' | 'actor';
  readonly text: string;
  readonly ids: readonly string[];
  readonly others: Readonly<Record<string, string>>;
};

export type PeopleSources = {
  readonly commands: Pick<CommandsInContext, 'userOfAddress'>;
  readonly readModels: Pick<ReadModels, 'named'>;
  readonly timeline: Timeline;
};

const most = 20;

/**
 * The query with ids where it has the e-mail address of a person (AP-09), and the people of a name, who are offered and never taken
 * (FX-85). Only people of the organization's own events are found: a search must not tell who else has an account.
 */
export const withPeople = async (
  sources: PeopleSources,
  organizationId: string,
  query: Params,
  names: readonly QuestionName[],
): Promise<{
  readonly query: Params;
  readonly choice: Choice | null;
  /** What was sent as somebody and is nobody, by parameter. */
  readonly nobody: ReadonlyMap<string, string>;
}> => {
  const found = new Map(query);
  const nobody = new Map<string, string>();
  for (const parameter of ['user', 'actor'] as const) {
    const [text = '', ...more] = query.get(parameter) ?? [];
    if (!names.includes(parameter) || more.length > 0 || !mayBePerson(text)) continue;
    const { owner, ids } = await peopleOf(sources, organizationId, text);
    if (ids.length > 0)
      return { query, choice: { parameter, text, ids, others: without(found, parameter) }, nobody };
    if (owner === null) nobody.set(parameter, text);
    else found.set(parameter, [owner]);
  }
  return { query: found, choice: null, nobody };
};

const mayBePerson = (text: string): boolean =>
  text !== '' && text.length <= 256 && !isUlid(text) && text !== breakGlass && !text.startsWith('addon:');

const without = (query: Params, left: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...query].flatMap(([name, [value]]) =>
      value === undefined || [left, 'organization', 'before', 'after'].includes(name) ? [] : [[name, value]],
    ),
  );

const peopleOf = async (
  { commands, readModels, timeline }: PeopleSources,
  organizationId: string,
  text: string,
): Promise<{ readonly owner: string | null; readonly ids: readonly string[] }> => {
  const isKnown = async (id: string): Promise<boolean> => {
    const has = async (more: object) => {
      const about = { kind: 'organization', id: organizationId } as const;
      // Not in searches: who was searched for need not have anything to do with the organization.
      return (await timeline.page({ about, limit: 1, filters: more })).entries.length > 0;
    };
    return (await has({ concerning: [{ kind: 'user', id }] })) || (await has({ actor: id }));
  };
  if (looksLikeAddress(text)) {
    const owner = await commands.userOfAddress(text);
    return { owner: owner !== null && (await isKnown(owner)) ? owner : null, ids: [] };
  }
  const name = normaliseName(text);
  const known: string[] = [];
  // Only of the organization's own people there may be more than are offered: others of this name do not hide them.
  for (let after: string | undefined = ''; name !== '' && after !== undefined && known.length < most;) {
    const ids: readonly string[] = await readModels.named('user', name, most, after);
    const areKnown = await Promise.all(ids.map(isKnown));
    known.push(...ids.filter((_id, index) => areKnown[index]));
    after = ids[most - 1];
  }
  return { owner: null, ids: known.slice(0, most) };
};
