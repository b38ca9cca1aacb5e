import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../repository.ts'
import { type BuiltDashboard, buildDashboard } from './build-dashboard.ts'

interface Kept extends BuiltDashboard {
  /** Of the contents of all inputs. */
  readonly digest: string
}

const HOME = join(root, '.strata', 'dashboard')

/**
 * The files of the dashboard. They are built when one of the sources that they were made from, or how they are made, has
 * changed. A new source is named by a changed one.
 */
export async function builtDashboard(): Promise<BuiltDashboard> {
  const kept = readKept()
  if (kept !== undefined && digestOf(kept.inputs) === kept.digest) return kept
  const built = await buildDashboard()
  keep({ ...built, digest: digestOf(built.inputs) })
  return built
}

const keptFile = join(HOME, 'built.json')
const HOW = ['tools/dashboard/build-dashboard.ts', 'packages/dashboard/tsconfig.json', 'package-lock.json']

function digestOf(inputs: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of [...HOW, ...inputs]) {
    hash.update(`${path}\0`)
    try {
      hash.update(readFileSync(join(root, path)))
    } catch {
      // It is gone, so the digest is another one.
    }
  }
  return hash.digest('hex')
}

function readKept(): Kept | undefined {
  try {
    return JSON.parse(readFileSync(keptFile, 'utf8')) as Kept
  } catch {
    return undefined
  }
}

// Several processes of a fleet may build at once. Each puts a whole file in place.
function keep(kept: Kept): void {
  mkdirSync(dirname(keptFile), { recursive: true })
  const mine = `${keptFile}.${process.pid}`
  writeFileSync(mine, JSON.stringify(kept))
  renameSync(mine, keptFile)
}
