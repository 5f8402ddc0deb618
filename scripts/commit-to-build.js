import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const archived = '$Format:%H$';
const isCommit = (text = '') => /^[0-9a-f]{7,64}$/.test(text);
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : '');

const fromGit = (root) => {
  const entry = join(root, '.git');
  if (!existsSync(entry)) return '';
  const folder = statSync(entry).isDirectory() ? entry : resolve(root, read(entry).replace(/^gitdir: /, '')); // a worktree
  const head = read(join(folder, 'HEAD'));
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return head;
  const shared = resolve(folder, read(join(folder, 'commondir')) || '.');
  const loose = read(join(folder, ref)) || read(join(shared, ref));
  return (
    loose || (new RegExp(`^([0-9a-f]+) ${ref}$`, 'm').exec(read(join(shared, 'packed-refs')))?.[1] ?? '')
  );
};

/**
 * Which commit a build of this folder is made from: by GRANTBOOK_COMMIT, as an image is built that has no .git; by the
 * files of .git, so that neither git nor its trust in the folder's owner is needed; by what `git archive` filled in above.
 */
export const commitToBuild = (root) =>
  [process.env['GRANTBOOK_COMMIT'], fromGit(root), archived].find(isCommit) ?? '0000000';
