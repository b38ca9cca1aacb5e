import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { progress, run, which } from './command.mjs'
import { SetupProblem } from './problem.mjs'

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** Can packages be had from Debian here? Unpacking them needs neither root nor a change to the system. */
export const isDebianAvailable = () =>
  process.platform === 'linux' && ['apt-get', 'dpkg-deb'].every((program) => which(program) !== undefined)

/**
 * Brings a package of one Debian suite, and those it needs besides, into `home`, unpacked and not installed: no
 * service is started, no user is made, and the system's own sources stay as they are, since apt gets a source
 * list, a package index and a cache of its own for the purpose. What is fetched is checked against Debian's
 * signatures as ever. `finish` adds what an installation would have: it gets the folder before that is in place.
 */
export async function unpackDebianPackage({ name, suite, home, needs = [], finish = () => {} }) {
  // apt splits its option values at spaces, so its directories are best not below a clone of any name.
  const work = mkdtempSync(join(tmpdir(), 'strata-apt-'))
  try {
    const archives = await downloadDebianPackages({ names: [name, ...needs], suite, into: work })
    // Unpacked beside its place and then moved there: what is in place is whole.
    mkdirSync(dirname(home), { recursive: true })
    const unpacked = `${home}.${process.pid}`
    for (const archive of archives) await run('dpkg-deb', ['-x', archive, unpacked])
    finish(unpacked)
    rmSync(home, { recursive: true, force: true })
    renameSync(unpacked, home)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Downloads packages of one suite, for this machine or for another architecture.
 * @param {{ names: readonly string[], suite: string, into: string, architecture?: string }} options
 * @returns {Promise<string[]>} the archives
 */
export async function downloadDebianPackages({ names, suite, into, architecture }) {
  progress(`${names[0]} of Debian ${suite}`)
  const options = prepareApt(into, suite, architecture)
  await run('apt-get', [...options, 'update'])
  const packages = names.map((each) => `${each}/${suite}`)
  await run('apt-get', [...options, 'download', ...packages], { cwd: into })
  const archives = readdirSync(into).filter((file) => file.endsWith('.deb'))
  if (archives.length < packages.length) {
    throw new SetupProblem(`apt-get download ${packages.join(' ')} left ${archives.length} packages`)
  }
  return archives.sort().map((archive) => join(into, archive))
}

function prepareApt(work, suite, architecture) {
  for (const directory of ['sources', 'lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(work, directory), { recursive: true })
  }
  const source = { Types: 'deb', URIs: mirror(), Suites: suite, Components: 'main', 'Signed-By': KEYRING }
  const lines = Object.entries(source).map(([field, value]) => `${field}: ${value}\n`)
  writeFileSync(join(work, 'sources', 'strata.sources'), lines.join(''))
  writeFileSync(join(work, 'status'), '')
  const settings = {
    'Dir::Etc::SourceList': '/dev/null',
    'Dir::Etc::SourceParts': join(work, 'sources'),
    'Dir::Etc::Preferences': '/dev/null',
    'Dir::Etc::PreferencesParts': '/dev/null',
    'Dir::State::Lists': join(work, 'lists'),
    // Without it, apt would prefer the package of that name which the system has from elsewhere.
    'Dir::State::Status': join(work, 'status'),
    'Dir::Cache': join(work, 'cache'),
    // As root, apt would become a user who may not enter our directory.
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    'Debug::NoLocking': 'true',
    ...(architecture && { 'APT::Architecture': architecture, 'APT::Architectures': architecture }),
  }
  return ['-q', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
}

/** The mirror this machine uses for Debian itself, because it may be the only one within reach. */
function mirror() {
  const texts = sourceFiles().map((file) => readFileSync(file, 'utf8'))
  const addresses = texts.flatMap((text) => text.match(/^(?:URIs:|deb\s).*?\bhttps?:\/\/\S+/gm) ?? [])
  const found = addresses
    .map((line) => line.slice(line.indexOf('http')))
    .find((address) => /\/debian\/?$/.test(address))
  return found ?? 'http://deb.debian.org/debian'
}

function sourceFiles() {
  const parts = '/etc/apt/sources.list.d'
  try {
    const files = readdirSync(parts).filter((file) => /\.(list|sources)$/.test(file))
    return files.map((file) => join(parts, file))
  } catch {
    return []
  }
}
