import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Writes dist/commit: which commit is being built. By GRANTBOOK_COMMIT, as an image is built that has no .git; by the files of
// .git, so that neither git nor its trust in the folder's owner is needed; by what `git archive` filled in below.

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const archived = '$Format:%H$';
const isCommit = (text = '') => /^[0-9a-f]{7,64}$/.test(text);
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : '');

const fromGit = () => {
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

const commit = [process.env['GRANTBOOK_COMMIT'], fromGit(), archived].find(isCommit) ?? '0000000';
mkdirSync(join(root, 'dist'), { recursive: true });
writeFileSync(join(root, 'dist/commit'), `${commit}\n`);
