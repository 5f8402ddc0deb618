/**
 * Whether slow tests run, too, as in `.ci/run`. Independent of the test runner, because its configuration uses it as
 * well.
 */
export const isSlow = process.env['GRANTBOOK_SLOW_TESTS'] !== undefined;

/**
 * Whether slow tests repeat themselves as often as they can (`GRANTBOOK_SLOW_TESTS=all`): more rounds, bits, samples,
 * looks and days of the same kind. `.ci/run` plays every kind, in less time.
 */
export const isExhaustive = process.env['GRANTBOOK_SLOW_TESTS'] === 'all';

/**
 * Files that run only with the slow set, so that a newcomer's `npm test` takes minutes: they restart the service many
 * times, crawl with a browser, attack with processes, wait for timers, or repeat at length what a neighbouring test
 * does briefly.
 */
export const slowFiles = [
  'packages/eventstore-node/test/process.test.ts',
  'test/administration/every-task.test.ts',
  'test/attack/orders/authority.test.ts',
  'test/attack/orders/every-order.test.ts',
  'test/attack/processes/attack.test.ts',
  'test/attack/processes/closing.test.ts',
  'test/attack/processes/members.test.ts',
  'test/browser/accessibility.test.ts',
  'test/browser/cross-origin.test.ts',
  'test/browser/docs.test.ts',
  'test/browser/passkeys.test.ts',
  'test/cli/addons/addon-update.test.ts',
  'test/cli/eventstore.test.ts',
  'test/cli/failing-servers.test.ts',
  'test/cli/grant.test.ts',
  'test/cli/grantbook.test.ts',
  'test/cli/import/import-memory.test.ts',
  'test/cli/people/insufficient-token.test.ts',
  'test/cli/people/sign-in.test.ts',
  'test/cli/signals.test.ts',
  'test/cli/people/user-links.test.ts',
  'test/clients/oidc-client-ts.test.ts',
  'test/differential/differential.test.ts',
  'test/documents/run.test.ts',
  'test/durability/last-answers.test.ts',
  'test/embedded/postgres/start-postgres.test.ts',
  'test/eventstore/append-traps.test.ts',
  'test/hardening/greedy-clients.test.ts',
  'test/hardening/other-users.test.ts',
  'test/http/requests/clock-skew.test.ts',
  'test/http/session/sign-in-limits.test.ts',
  'test/instances/federation.test.ts',
  'test/instances/no-stickiness.test.ts',
  'test/kafka/broker/ingest/ingest.test.ts',
  'test/kafka/broker/refuse-revoked.test.ts',
  'test/kafka/broker/relay/promise.test.ts',
  'test/kafka/contract/undecided.test.ts',
  'test/leaks/nothing-leaks.test.ts',
  'test/lifecycle/archives.test.ts',
  'test/lifecycle/embedded.test.ts',
  'test/lifecycle/first-start.test.ts',
  'test/lifecycle/image.test.ts',
  'test/lifecycle/service.test.ts',
  'test/lifecycle/two-instances.test.ts',
  'test/lifecycle/unwritable-log.test.ts',
  'test/model/fence-retention.test.ts',
  'test/operations/doctor.test.ts',
  'test/operations/frozen-leader.test.ts',
  'test/operations/log-copy.test.ts',
  'test/operations/lost-database.test.ts',
  'test/operations/older-database.test.ts',
  'test/operations/older-log.test.ts',
  'test/operations/switchover.test.ts',
  'test/projections/follow/crash.test.ts',
  'test/projections/follow/takeover.test.ts',
  'test/records/fourth-resource.test.ts',
  'test/signals/killed/killed.test.ts',
] as const;
