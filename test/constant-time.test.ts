import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isSameChallenge } from '../src/domain/access/pkce.ts';
import { challenge } from './support/scenes/grants.ts';
import { nameOf, parse, walk, type Node } from './support/documents/syntax.ts';

/** How secrets are compared, by looking at every comparison there is: no stopwatch could tell it as surely. */

const root = join(import.meta.dirname, '..');
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
const files = ['src', 'packages/eventstore-node/src', 'packages/log-copy/src', 'packages/verify/src'].flatMap(
  filesIn,
);

/** Names of what nobody may learn by guessing it piece by piece. */
const secretive =
  /secret(?!Id)|digest|verifier|challenge|^mac|^tag$|signature|proof|password|salt|csrf|token$|hash|cookie$|sealed|encrypted/i;
/** Where a file has no such name, or only with an `Id` behind it, it is not parsed. */
const named = new RegExp(secretive.source.replaceAll('^', '\\b').replaceAll('$', '\\b'), 'i');
/** Ways to compare that stop at the first difference, or say where it is. */
const hasty = new Set([
  'includes',
  'indexOf',
  'localeCompare',
  'equals',
  'compare',
  'startsWith',
  'endsWith',
  'has',
  'is',
]);
const constant = new Set(['timingSafeEqual', 'sameBytes', 'isSameChallenge']);

const operandName = (node: Node | undefined): string => {
  if (!node) return '';
  if (node.type === 'ChainExpression') return operandName(node['expression'] as Node);
  if (node.type === 'MemberExpression') return operandName(node['property'] as Node);
  if (node.type === 'CallExpression') return operandName(node['callee'] as Node);
  return nameOf(node);
};
const isSecretive = (node: Node): boolean => secretive.test(operandName(node));
const isFixed = (node: Node): boolean => node.type === 'Literal' || nameOf(node) === 'undefined';

/** Both sides of `a === b` and of `a.includes(b)`; none of a comparison with a fixed text or number. */
const comparedIn = (node: Node): readonly Node[] => {
  if (node.type === 'BinaryExpression' && /^[!=]==?$/.test(String(node['operator'] as string))) {
    const sides = [node['left'] as Node, node['right'] as Node];
    return sides.some(isFixed) ? [] : sides;
  }
  const callee = node['callee'] as Node | undefined;
  if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return [];
  if (!hasty.has(operandName(callee))) return [];
  const sent = node['arguments'] as readonly Node[];
  return sent.every(isFixed) ? [] : [callee['object'] as Node, ...sent];
};

const isHasty = (node: Node): boolean => comparedIn(node).some(isSecretive);
const isConstant = (node: Node): boolean =>
  node.type === 'CallExpression' && constant.has(operandName(node['callee'] as Node));

const foundIn = (text: string, file: string) => {
  const found = { hasty: new Array<string>(), constant: new Array<string>() };
  for (const node of named.test(text) ? walk(parse(text, file)) : []) {
    const note = `${file}: ${text.slice(node.start, node.end)}`;
    if (isHasty(node)) found.hasty.push(note);
    if (isConstant(node)) found.constant.push(note);
  }
  return found;
};
const hastyIn = (text: string, file: string) => foundIn(text, file).hasty;

const everywhere = files.map((file) =>
  foundIn(readFileSync(join(root, file), 'utf8'), file.replace(/^src\//, '')),
);

/** A salt is kept in the log and opens nothing without the server's key: it tells one request's event from another's. */
const harmless = [
  'audit/log-heads/tile-check.ts: hashIn(here, size % tileWidth).equals(leaf)', // of the log's tree, which everybody may know
  'audit/log-heads/tile-check.ts: rootIn(below, 0, tileWidth).equals(hashIn(above, (count - 1) % tileWidth))',
  'audit/log-tiles/tile.ts: hashIn(tile, at).equals(hash)',
  'audit/retention/remove-streams.ts: tree.indexOf(hash, event.position)',
  // Both are of whoever runs the command.
  'cli/remote/sign-in.ts: before.token !== token',
  'commands/kernel/begin-once.ts: salt.equals(row.salt)', // of our own row
  'commands/people/accounts/account-of-identity.ts: linked.digest === digest', // names a stream
  'commands/people/credentials/password-links.ts: event.data.digest === digest', // of a link's random secret; its token had the right MAC
  'commands/sign-in/read-session.ts: session.salt !== ticket.salt', // of a cookie whose MAC was right
  'domain/access/grant-exchange.ts: grant.current.salt === salt',
  'domain/access/grant-refresh.ts: grant.previous?.salt === refresh.salt',
  'domain/access/grant-refresh.ts: salt === refresh.salt',
  'domain/people/account-from-provider.ts: account.unlinked.includes(word.identity.digest)', // names a stream
  'domain/people/account-from-provider.ts: identity.digest === digest',
  'domain/people/account-from-provider.ts: known.digest === digest',
  'domain/people/account.ts: account.link.digest === digest', // of a link's random secret; its token had the right MAC
  'domain/people/account.ts: account.link.digest === link.digest', // an event of this very call, met again at its retry
  'domain/people/account.ts: account.link?.digest === digest', // of a link's random secret, in an event of its own stream
  'domain/people/account.ts: account.link?.digest === link.digest',
  'domain/people/account.ts: account.passwordHash !== presentHash', // read from the same stream just before
  'domain/people/account.ts: account.passwordHash === passwordHash', // an event of this very call, met again at its retry
  'domain/people/account.ts: account.passwordHash === passwordHash',
  'domain/people/account.ts: account.passwordHash === passwordHash',
  'domain/people/account.ts: identity.digest !== digest', // names a stream
  'domain/people/account.ts: link?.digest === event.data.digest', // the same link in another event
  "http/account/password-pages.ts: password !== one(form, 'again')", // both are from the same form
  "http/account/password-pages.ts: password !== one(form, 'again')",
  "http/session/send-forms-once.ts: once?.secret === only(formOf(request), 'link')", // both are from this request
  "packages/verify/src/timestamp.ts: imprint.equals(createHash('sha256').update(data).digest())", // of a head, which is public
  "personal/key-file.ts: value['sha256'] !== digest.copy().digest('hex')", // whether a backup was cut off
  'personal/key-keeping.ts: subject !== emailDigests', // a name
  'personal/key-keeping.ts: subject === emailDigests',
  'projections/rebuild/compare-tables.ts: ours.digest !== theirs.digest', // of rows of two versions of a table
];

test('G-06: nothing secret is compared by a way that stops at the first difference', () => {
  expect(everywhere.flatMap(({ hasty }) => hasty).toSorted()).toEqual(harmless);
});

test('G-06: every place that compares secrets, verifiers or digests takes the same time wherever they differ', () => {
  expect(everywhere.flatMap(({ constant }) => constant).toSorted()).toEqual([
    'commands/credentials/administrator-token-text.ts: sameBytes(opened.secret, secretOf(keys, { keyId, salt }, opened))',
    'commands/credentials/command-line-code.ts: sameBytes(bound, bindingOf(binding))',
    'commands/credentials/credentials.ts: sameBytes(opened.secret, secretOf(keys, kind, origin, opened))',
    'commands/credentials/device-cookie.ts: sameBytes(Buffer.from(expected), Buffer.from(text))',
    'commands/credentials/secrets.ts: timingSafeEqual(a, b)',
    'commands/credentials/session-cookie.ts: sameBytes(Buffer.from(expected), Buffer.from(cookie))',
    'commands/credentials/tagged-text.ts: sameBytes(tag, bytes.subarray(signed.length))',
    'domain/access/grant-exchange.ts: isSameChallenge(terms.codeChallenge, exchange.computedChallenge)',
    'http/lists/cursor.ts: timingSafeEqual(macOf(clear, contents), sent)',
    'http/oauth/token/client-authentication.ts: timingSafeEqual(known, digest)',
    'http/session/value-signer.ts: timingSafeEqual(given, expected)',
    'packages/eventstore-node/src/access.ts: timingSafeEqual(given, expected)',
    "signing/trusted-rows.ts: timingSafeEqual(Buffer.from(found, 'latin1'), Buffer.from(expected, 'latin1'))",
  ]);
});

test('G-06: a challenge is read to its end, wherever it differs', () => {
  const reads = vi.spyOn(String.prototype, 'charCodeAt');
  onTestFinished(() => reads.mockRestore());
  const readsFor = (computed: string) => {
    reads.mockClear();
    isSameChallenge(challenge, computed);
    return reads.mock.calls.length;
  };
  const all = [challenge, `!${challenge.slice(1)}`, `${challenge.slice(0, -1)}!`].map(readsFor);
  expect(all).toEqual(all.map(() => 2 * challenge.length));
});

describe('the search would find', () => {
  test.each([
    'if (stored.digest === digest) accept();',
    'if (secretDigests.includes(hashed)) accept();',
    'if (known.some((value) => value !== request.clientSecret)) refuse();',
    'if (Buffer.compare(tag, sent) === 0) accept();',
    'if (tag.equals(sent)) accept();',
    'if (mac() == given) accept();',
    'if (grant.codeChallenge !== exchange.computedChallenge) refuse();',
  ])('%s', (text) => {
    expect(hastyIn(text, 'a.ts')).toHaveLength(1);
  });

  test('and leaves alone what only asks whether there is one', () => {
    expect(hastyIn("if (secret === undefined || token === '' || digest.length !== 32) {}", 'a.ts')).toEqual(
      [],
    );
  });
});
