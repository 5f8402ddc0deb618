import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../percentile.ts';
import { result, type Result } from '../results.ts';
import { tell } from '../tell.ts';
import { done, type World } from '../world.ts';
import { sessionHeader } from '../session-header.ts';

const organizations = 200;

type Listed = { readonly items: readonly unknown[] };

/** What 200 rows of an operator's list cost next to 50 of them, and the page that shows those 50, in turns (PG-04). */
export const measurePages = async (
  { core, baseUrl }: World,
  { samples }: { readonly samples: number },
): Promise<readonly Result[]> => {
  const { commands } = core;
  tell(`creating ${organizations} organizations`);
  for (let index = 0; index < organizations; index += 1)
    done(await commands.createOrganization({ name: `Organization ${index}` }));
  const account = { email: 'operator@example.com', password: 'a password of the bench' };
  const operator = { ...account, name: 'operator', administratorOf: [], roles: ['operator'] as const };
  const { userId } = done(await commands.createUser(operator));
  const { cookie } = done(await commands.signIn({ ...account, from: null }));
  const asked = { userId, organizationId: null, name: 'bench', days: 1, by: userId };
  const { token } = done(await commands.issueAdministratorToken(asked));

  const headers = { authorization: `Bearer ${token}`, cookie: sessionHeader(baseUrl, cookie) };
  const paths = {
    'rows-50': '/operator/api/organizations?limit=50',
    'rows-200': '/operator/api/organizations?limit=200',
    'page-of-50': '/operator/organizations',
  };
  tell('reading them in turns');
  const listed = async () => (await (await fetch(baseUrl + paths['rows-200'], { headers })).json()) as Listed;
  while ((await listed()).items.length < organizations) await delay(100); // until they are projected
  const times: Record<string, number[]> = {};
  for (let sample = -20; sample < samples; sample += 1)
    for (const [name, path] of Object.entries(paths)) {
      const began = performance.now();
      const answer = await fetch(baseUrl + path, { headers });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
      if (sample >= 0) (times[name] ??= []).push(performance.now() - began);
    }
  const median = (name: keyof typeof paths) => percentile(times[name] ?? [], 0.5) ?? 0;
  return [
    result('rows-50', median('rows-50'), 'ms', samples),
    result('rows-200', median('rows-200'), 'ms', samples, median('rows-50')),
    result('page-of-50', median('page-of-50'), 'ms', samples, median('rows-50')),
  ];
};
