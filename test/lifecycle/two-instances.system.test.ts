import { expect, onTestFinished, test } from 'vitest';
import { composeService } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config/config.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { startTestServers } from '../support/test-servers.ts';
import { valueOf } from '../support/outcomes.ts';
import { startTwoInstances } from '../support/servers/two-instances.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';
import { sessionHeader } from '../support/scenes/our-cookies.ts';

const account = { email: 'ada@example.com', password: 'correct horse battery staple' };

test('two instances that start at once on an empty database are one service', async () => {
  const { stores } = await startTestServers(onTestFinished, freshDatabase);
  const { instances, settings, stop } = await startTwoInstances(stores);
  onTestFinished(() => stop());

  const roles = () => Promise.all(instances.map(({ baseUrl }) => projectorRole(baseUrl)));
  await expect.poll(roles).toEqual(expect.arrayContaining(['leading', 'standby']));

  const core = await composeService(readConfig(settings), stores, watchedLogger());
  onTestFinished(() => core.close());
  const { commands } = core;
  const { organizationId } = valueOf(await commands.createOrganization({ name: 'Harbour House' }));
  const administrator = { ...account, name: 'Ada', administratorOf: [organizationId], roles: [] };
  valueOf(await commands.createUser(administrator));
  const { cookie } = valueOf(await commands.signIn({ ...account, from: null }));
  for (const { baseUrl } of instances) {
    const addons = `${baseUrl}/organizations/${organizationId}/addons`;
    const answer = await fetch(addons, { headers: { cookie: sessionHeader(baseUrl, cookie) } });
    expect(await answer.json(), 'a session made next to both').toEqual({ items: [] });
  }
});

const projectorRole = async (baseUrl: string): Promise<string | undefined> => {
  const said = (await (await fetch(`${baseUrl}/health/ready`)).json()) as {
    readonly checks: Readonly<Record<string, string>>;
  };
  return said.checks['projector'];
};
