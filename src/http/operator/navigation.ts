import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { entities } from '../../tasks/entities.ts';
import type { Entity, Services } from '../../tasks/task.ts';
import { link, tabs, type Tab } from '../pages/components.ts';
import type { Html } from '../pages/html.ts';
import { headingOf, workIn } from '../tasks/in-words.ts';
import { addressOf } from '../tasks/paging.ts';
import type { Reader } from '../words/reader.ts';

/** In milliseconds: a page is as good without what is not known then. */
const patience = 500;

type Work = ReadonlyMap<Entity, number>;

/** How much waits in each list; without those that are not known soon. */
const readWork = async (services: Services): Promise<Work> => {
  const counted = entities.map(async (about) => {
    const count = about.work && (await withTimeoutOrNull(patience, about.work.count(services)));
    return count ? [[about, count] as const] : [];
  });
  return new Map((await Promise.all(counted)).flat());
};

/** The lists of operators and what waits in them (PG-18): on every page of theirs, and on their home. */
export const makeNavigation = (base: string, services: Services) => {
  const pathOf = ({ plural }: Entity): string => `${base}/operator/${plural}`;
  const rowOf = (reader: Reader, work: Work, current: Entity | 'status' | null): Html => {
    const { operator: t } = reader.words;
    const lists = entities.map((about): Tab => {
      const count = work.get(about);
      return {
        href: pathOf(about),
        label: headingOf(reader.words, about),
        isCurrent: about === current,
        ...(count !== undefined && { count, needsWork: true }),
      };
    });
    const status = {
      href: `${base}/operator/status`,
      label: t.service.title,
      isCurrent: current === 'status',
    };
    return tabs(reader, t.title, [...lists, status]);
  };
  return {
    /** `waiting`: how much does in the current list. */
    row: async (reader: Reader, current: Entity | 'status') => {
      const work = await readWork(services);
      const waiting = current === 'status' ? null : (work.get(current) ?? null);
      return { html: rowOf(reader, work, current), waiting };
    },
    /** With a line for each list that has something, which leads to it. */
    home: async (reader: Reader) => {
      const work = await readWork(services);
      const lines = [...work].map(([about, count]) => {
        const filters = Object.entries(about.work?.filters ?? {}).map(
          ([name, value]) => [name, [value]] as const,
        );
        return link(addressOf(pathOf(about), filters, {}), workIn(reader.words, about, count));
      });
      return { row: rowOf(reader, work, null), lines };
    },
  };
};
