import { ends, pagesOf, timeInTurns, type EachEnd } from '../lists/page-positions.ts';
import { seedRecords } from '../lists/seed-records.ts';
import { timePlain, timeStatement } from '../lists/time-statements.ts';
import { getPage, walkByLinks } from '../lists/walk-by-links.ts';
import { percentile } from '../percentile.ts';
import { result, type Result } from '../results.ts';
import { tell } from '../tell.ts';
import { furnishOrganization, type World } from '../world.ts';
import { accessToken } from './lists.ts';
import { sessionHeader } from '../session-header.ts';

const perPage = 50;

/**
 * The cost of a page at different positions in a long list, as a statement and over HTTP, compared with OFFSET and
 * COUNT(*) on the same rows; and the cost of reading all pages by their links.
 */
export const measureDepth = async (
  world: World,
  { records, samples }: { readonly records: number; readonly samples: number },
): Promise<readonly Result[]> => {
  const { core, clientId, servers, baseUrl } = world;
  const { databaseUrl } = servers;
  const { organizationId, session, epoch } = await furnishOrganization(core, clientId, 'depth');
  tell(`seeding a list of ${records} records`);
  await seedRecords(databaseUrl, {
    organizationId,
    userIds: [null],
    records,
    from: { position: 10n, created: Date.now() },
    step: { position: 10, created: 1 },
  });
  const authorization = `Bearer ${await accessToken({ ...world, cookie: sessionHeader(world.baseUrl, session) })}`;
  const url = `${baseUrl}/access-rights?per_page=${perPage}`;
  const { total_items: total } = (await getPage(url, authorization))._pagination;
  const pages = pagesOf(total, perPage);

  const subject = { kind: 'organization', organizationId, epoch } as const;
  const guarded = { grantId: 'bench', addonId: clientId, userId: 'bench', rotation: 0, subject };
  const list = { databaseUrl, guarded, pages, perPage };
  tell('reading pages here and there');
  const plain = await timePlain(list, Math.ceil(samples / 50));
  const alone = await timeStatement(list, samples);
  const whole = await timeInTurns(samples, (end) => getPage(`${url}&page=${pages[end]}`, authorization));
  tell(`walking through ${pages.last} pages by their links`);
  const walk = await walkByLinks(url, authorization);
  return [
    ...besidePlain('depth-statement', alone, plain),
    ...besidePlain('depth-page', whole, plain),
    result('depth-walk', walk.items / walk.seconds, 'items/s', walk.items),
    result('depth-walk-pages', walk.pages / walk.seconds, 'pages/s', walk.pages),
  ];
};

type Times = EachEnd<readonly number[]>;

const besidePlain = (name: string, times: Times, plain: Times): readonly Result[] =>
  ends.map((end) => {
    const [value, ceiling] = [times[end], plain[end]].map((each) => percentile(each, 0.5));
    return result(`${name}-${end}`, value ?? 0, 'ms', times[end].length, ceiling);
  });
