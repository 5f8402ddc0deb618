import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { organizationExists } from '../../src/commands/organizations/find-named-organization.ts';
import type { AllowedScope } from '../../src/domain/access/scope.ts';
import { startIngest } from '../../src/kafka/ingest/ingest.ts';
import { defaultTopicNames } from '../../src/kafka/topics.ts';
import { runBeside } from '../cli/live-service.ts';
import { run, settingsFor } from '../operations/running.ts';
import { eventually } from '../support/eventually.ts';
import type { memoryKafka } from '../support/memory/memory-kafka.ts';
import { valueOf } from '../support/outcomes.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { challenge, verifier } from '../support/scenes/grants.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { startTestNode } from '../support/servers/node.ts';
import { newAddon, newUser } from '../support/registering.ts';

const redirectUri = 'https://addon.example/cb';

export type Item = Readonly<Record<string, unknown>> & { readonly id: string };
type Page = {
  readonly items: readonly Item[];
  readonly _pagination: { readonly total_items: number };
  readonly _links: readonly { readonly rel: string; readonly href: string }[];
};

/** A service with an add-on of these scopes, the command line, and lists as an add-on reads them. */
export const recordsScene = async (
  scopes: readonly AllowedScope[],
  prepare?: (databaseUrl: string, folder: string) => Promise<unknown>,
) => {
  const folder = mkdtempSync(join(tmpdir(), 'grantbook-records-'));
  const [node, database] = await Promise.all([startTestNode(), migratedDatabase()]);
  await prepare?.(database.url, folder);
  const stores = { databaseUrl: database.url, eventStoreUrl: node.url };
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], DATA_DIR: folder, ...settingsFor(stores) };
  const running = await run(stores);
  await running.workers.ready;
  const { commands, store } = running.core;
  const asked = { redirectUris: [redirectUri], allowedScopes: scopes };
  const { clientId: addonId } = await newAddon(commands, asked);
  const pageAt = async (url: string, token: string): Promise<Page> => {
    const path = url.replace(/^https?:\/\/[^/]+/, '');
    const answer = await running.app.inject({ url: path, headers: { authorization: `Bearer ${token}` } });
    expect([url, answer.statusCode, answer.headers['grantbook-stale']]).toEqual([url, 200, undefined]);
    return answer.json<Page>();
  };
  return {
    folder,
    env,
    running,
    addonId,
    /** What a command that must succeed says with `--json`. */
    async cli(args: readonly string[], stdin = '') {
      const { exitCode, json, stderr } = await runBeside(env, ['--json', ...args], stdin);
      expect([args, exitCode, stderr.match(/error.*/)?.[0]]).toEqual([args, 0, undefined]);
      return json;
    },
    /** An organization where the add-on is active, and tokens for its records and for those of one of its people. */
    async newOrganization() {
      const { organizationId } = valueOf(await commands.createOrganization({ name: 'Harbour House' }));
      const userId = await newUser(commands, { name: 'Bo', administratorOf: [organizationId] });
      valueOf(await commands.activateAddon({ organizationId, addonId, by: userId, sessionId: null }));
      const { epoch } = await commands.showActivation(organizationId, addonId);
      const tokenFor = async (subject: Parameters<typeof commands.issueCode>[0]['subject']) => {
        await commands.approveScopes({ userId, addonId, subject, scopes });
        const asked = { addonId, userId, subject, scopes, redirectUri, nonce: null, resources: [] };
        const issued = await commands.issueCode({
          ...asked,
          authTime: Date.now(),
          codeChallenge: challenge,
        });
        const { code } = valueOf(issued);
        const exchange = { addonId, code, redirectUri, codeVerifier: verifier, resources: null };
        return valueOf(await commands.exchangeCode(exchange)).accessToken;
      };
      return {
        organizationId,
        userId,
        ofOrganization: await tokenFor({ kind: 'organization', organizationId, epoch }),
        ofUser: await tokenFor((await commands.ownConsent({ userId, addonId })).subject),
      };
    },
    pageAt,
    /** All items by links, from one end to the other. */
    async walk(first: string, rel: 'next' | 'prev', token: string): Promise<readonly Item[]> {
      const seen: Item[] = [];
      for (let url: string | undefined = first; url !== undefined;) {
        const page: Page = await pageAt(url, token);
        seen.push(...(rel === 'next' ? page.items : page.items.toReversed()));
        url = page._links.find((link) => link.rel === rel)?.href;
      }
      return seen;
    },
    /** Records what has been written to the topic. */
    async ingest(kafka: ReturnType<typeof memoryKafka>, topic: string) {
      const ingest = startIngest({
        client: kafka.client,
        topics: defaultTopicNames,
        group: 'grantbook',
        commands,
        organizationExists: (id) => organizationExists(store, id),
        store,
        now: Date.now,
        logger: quietLogger() as never,
      });
      const isRead = () => expect(kafka.lag('grantbook', [topic])).toBe(0n);
      await eventually(isRead);
      await ingest.stop();
      return ingest;
    },
    async close() {
      await running.stop();
      await Promise.all([database.drop(), node.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
