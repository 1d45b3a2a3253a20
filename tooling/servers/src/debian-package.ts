import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { aptMirror } from './apt-mirror.js';
import { cacheFolder } from './cache-folder.js';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

export interface DebianPackage {
  /** The folder that the package and its dependencies are unpacked in. */
  readonly root: string;
  /** The dynamic loader among them: their programs need newer libraries than the machine may have. */
  readonly loader: string;
  readonly libraryPath: string;
}

/**
 * A package of Debian with its dependencies, unpacked in the cache folder: downloaded by the first who asks, checked by
 * apt against Debian's keys. Nothing is installed, and apt's and dpkg's own records stay untouched; no root is needed.
 * @param suite `sid`, `bookworm`, … of the mirror `TEST_DEBIAN_MIRROR`, by default the machine's own; not necessarily
 *   the suite of the machine
 * @returns undefined where there is no apt or no keyring of Debian
 * @throws Error when no mirror is known, or the download fails
 */
export async function debianPackage(suite: string, name: string): Promise<DebianPackage | undefined> {
  const root = join(cacheFolder(), 'debian', `${suite}-${name}-${process.arch}`);
  if (!existsSync(root)) {
    const tools = ['/usr/bin/apt-get', '/usr/bin/dpkg', '/usr/bin/flock', KEYRING];
    if (!tools.every((tool) => existsSync(tool))) return undefined;
    await fetchOnce(suite, name, root);
  }
  const [loader] = globSync('{usr/,}lib/*/ld-linux-*.so.*', { cwd: root });
  if (!loader) throw new Error(`${root} is not complete. Delete it, so that it is fetched again.`);
  const libraries = globSync('{usr/,}lib/*-linux-gnu*', { cwd: root });
  return {
    root,
    loader: join(root, loader),
    libraryPath: libraries.map((folder) => join(root, folder)).join(':'),
  };
}

/** Under a lock, which the system releases whatever becomes of its holder. Who waited for it finds the work done. */
async function fetchOnce(suite: string, name: string, root: string): Promise<void> {
  mkdirSync(join(root, '..'), { recursive: true });
  console.error(`Fetching ${name} and its libraries from Debian ${suite} into ${root}, once ...`);
  const mirror = process.env.TEST_DEBIAN_MIRROR || aptMirror();
  const source = `deb [signed-by=${KEYRING}] ${mirror} ${suite} main`;
  const script = ['/bin/sh', '-euc', FETCH, 'rowlock-fetch', root, name, source];
  const fetching = spawn('/usr/bin/flock', [`${root}.lock`, ...script], {
    cwd: '/',
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (text: string) => {
    output = (output + text).slice(-4_000);
  };
  fetching.stdout.setEncoding('utf8').on('data', keep);
  fetching.stderr.setEncoding('utf8').on('data', keep);
  const status = await new Promise((resolve, reject) => {
    fetching.once('error', reject);
    fetching.once('close', resolve);
  });
  if (status !== 0) throw new Error(`${name} could not be fetched from "${source}":\n${output.trim()}`);
}

// The system's own apt configuration stays in force (it may name a proxy), but for its folders and its hooks. Perl, which
// only scripts use, and rare character sets of libc stay out: 90 MB.
const FETCH = `
root=$1 name=$2 source=$3 work=$1.new
[ ! -d "$root" ] || exit 0
rm -rf "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/root"
: > "$work/status"
echo "$source" > "$work/sources.list"
cat > "$work/apt.conf" <<END
Dir::State "$work";
Dir::State::Lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work";
Dir::Cache::archives "$work/archives";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Acquire::Languages "none";
Acquire::Retries "3";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
END
apt-get -c "$work/apt.conf" -q update
apt-get -c "$work/apt.conf" -q --yes --download-only --no-install-recommends install "$name"
for archive in "$work"/archives/*.deb; do
  case $archive in
    */perl*|*/libperl*|*/libc-gconv-modules-extra*) ;;
    *) dpkg -x "$archive" "$work/root" ;;
  esac
done
mv "$work/root" "$root"
`;
