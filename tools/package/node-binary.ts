import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repository.ts'
import { run } from '../setup/command.mjs'
import { readLockFile } from './lock-file.ts'
import type { Platform } from './platforms.ts'

/**
 * The folder of the pinned Node for a platform. npm installs only that of this machine; others are brought by npm into
 * .strata/node, and taken only if they are what package-lock.json pins.
 */
export async function bringNode({ nodePackage }: Platform): Promise<string> {
  const installed = join(root, 'node_modules', nodePackage)
  if (existsSync(join(installed, 'bin', 'node'))) return installed
  const { version = '', integrity = '' } = readLockFile()[`node_modules/${nodePackage}`] ?? {}
  const parent = join(root, '.strata', 'node')
  const home = join(parent, `${nodePackage}-${version}`)
  if (existsSync(home)) return join(home, 'package')
  mkdirSync(parent, { recursive: true })
  const work = mkdtempSync(join(parent, 'work-'))
  try {
    process.stderr.write(`package: bringing ${nodePackage} ${version} (about 55 MB)\n`)
    await run('npm', ['pack', '--silent', `${nodePackage}@${version}`], { cwd: work })
    const archive = join(work, `${nodePackage}-${version}.tgz`)
    checkIntegrity(readFileSync(archive), integrity, `${nodePackage} ${version}`)
    await run('tar', ['-xzf', archive, '-C', work, 'package/bin', 'package/LICENSE'])
    rmSync(archive)
    renameSync(work, home)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return join(home, 'package')
}

/** Throws unless the bytes have the digest that a lock file pins, `sha512-…`. */
export function checkIntegrity(bytes: Uint8Array, integrity: string, what: string): void {
  const [algorithm = '', digest] = integrity.split(/-(.*)/s)
  if (algorithm !== 'sha512' || createHash('sha512').update(bytes).digest('base64') !== digest) {
    throw new Error(
      `${what} is not what package-lock.json pins: do not use it, and find out where it came from`,
    )
  }
}
