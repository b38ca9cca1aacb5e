import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findPinnedNode } from '../../packages/cli/bin/pinned-node.mjs'
import { progress, run } from './command.mjs'

/** The packages of the repository, and the Node that runs it. */
export const areDependenciesInstalled = (root) =>
  // Optional packages that npm left out (made for other machines) are not missing, but one of them is ours.
  findPinnedNode(root) !== undefined && arePackagesInstalled(root)

/**
 * Is node_modules what package-lock.json asks for? npm leaves a record of what it installed, written last,
 * so an interrupted install has none. Comparing the two, rather than keeping a stamp of our own, also
 * accepts what somebody installed by hand and needs no second install then.
 */
export function arePackagesInstalled(root) {
  const wanted = readPackages(join(root, 'package-lock.json'))
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'))
  if (wanted === undefined || installed === undefined) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    const found = installed[path]
    if (found === undefined) return entry.optional === true
    const isIntact = existsSync(join(root, path)) && areProgramsLinked(root, path, entry)
    return isIntact && FIELDS.every((field) => isSame(found[field], entry[field]))
  })
}

// What, when it differs, means that other files or other links belong into node_modules.
const FIELDS = ['version', 'integrity', 'link', 'bin']
const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b)

// npm install does not link a program that a workspace gained while its release stayed the same.
const areProgramsLinked = (root, path, { bin = {} }) =>
  path.startsWith('node_modules/') ||
  Object.keys(bin).every((name) => existsSync(join(root, 'node_modules', '.bin', name)))

export async function installDependencies(root) {
  progress('npm ci (Node 26 and the packages in package-lock.json; about 200 MB the first time)')
  await installPackages(root, root)
}

/** A folder with a package.json and a lock of its own: what few need is not brought by everybody's `npm ci`. */
export async function installPackagesOf(root, folder) {
  progress(`npm ci in ${folder}`)
  await installPackages(root, join(root, folder))
}

const installPackages = (root, cwd) =>
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd, env: outsideEnvironment(root) })

// Under `npm run`, the first `node` on the PATH is the one in node_modules, which npm ci is about to
// remove; and npm's own settings for the outer script would leak into the inner command.
function outsideEnvironment(root) {
  const bin = join(root, 'node_modules', '.bin')
  const PATH = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((directory) => directory !== bin)
    .join(delimiter)
  return { ...process.env, PATH }
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}
