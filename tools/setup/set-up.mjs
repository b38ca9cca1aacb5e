import { join } from 'node:path'
import { findPinnedNode, isNewEnough, missingNode } from '../../packages/cli/bin/pinned-node.mjs'
import { progress } from './command.mjs'
import {
  areDependenciesInstalled,
  arePackagesInstalled,
  installDependencies,
  installPackagesOf,
} from './dependencies.mjs'
import { withLock } from './lock.mjs'
import { bringPart, findPart, partsEnvironment } from './parts.mjs'
import { SetupProblem } from './problem.mjs'

/**
 * Brings what a task needs and says where it is. Quick when all is there: then nothing is locked, and
 * nothing outside the clone is asked.
 * @param {{ root: string, parts?: readonly string[], optionalParts?: readonly string[], folders?: readonly string[] }} needs
 *   `folders`: folders that have a package.json and a lock of their own
 */
export async function setUp({ root, parts = [], optionalParts = [], folders = [] }) {
  const locked = (work) => withLock(join(root, '.strata', 'setup.lock'), work)
  if (!areDependenciesInstalled(root)) {
    // Looked at again under the lock: another terminal may have done it while we waited.
    await locked(async () => areDependenciesInstalled(root) || (await installDependencies(root)))
  }
  for (const folder of folders) {
    const isInstalled = () => arePackagesInstalled(join(root, folder))
    if (!isInstalled()) await locked(async () => isInstalled() || (await installPackagesOf(root, folder)))
  }
  for (const name of [...parts, ...optionalParts]) {
    if (findPart(root, name) !== undefined) continue
    try {
      await locked(async () => findPart(root, name) ?? (await bringPart(root, name)))
    } catch (error) {
      if (!optionalParts.includes(name)) throw error
      progress(`going on without ${name}: ${error.message}`)
    }
  }
  return { node: findNode(root), environment: partsEnvironment(root, [...parts, ...optionalParts]) }
}

function findNode(root) {
  const node = findPinnedNode(root)
  if (node !== undefined) return node
  if (isNewEnough(process.versions.node)) return process.execPath
  throw new SetupProblem(missingNode())
}
