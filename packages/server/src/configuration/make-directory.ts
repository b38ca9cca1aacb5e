import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { ConfigurationProblem, errorCode } from './configuration-problem.ts'

/**
 * Makes a directory and what is missing above it, or says which flag to change. One step at a time: below
 * /proc a step fails as if what is above it were missing, and Node's own recursive form then tries for ever.
 */
export async function makeDirectory(path: string, flag: string): Promise<void> {
  const wanted = resolve(path)
  const existing = await nearestExisting(wanted, flag)
  const refuse = (why: string): ConfigurationProblem =>
    new ConfigurationProblem(`${flag} ${path}: ${why}; choose another directory`)
  if (!(await stat(existing)).isDirectory()) throw refuse(`${existing} is not a directory`)
  // Entering, and making files there: both are asked for, since a directory may permit one alone.
  await access(existing, constants.W_OK | constants.X_OK).catch(() => {
    throw refuse(`${existing} is not writable`)
  })
  let current = existing
  for (const step of relative(existing, wanted).split(sep).filter(Boolean)) {
    current = join(current, step)
    await mkdir(current, { mode: 0o700 }).catch((error: unknown) => {
      // Another server of the fleet may have been faster.
      if (errorCode(error) === 'EEXIST') return
      throw refuse(`${current} cannot be created (${errorCode(error) ?? String(error)})`)
    })
  }
}

async function nearestExisting(path: string, flag: string): Promise<string> {
  for (let current = path; ; current = dirname(current)) {
    try {
      await stat(current)
      return current
    } catch (error) {
      const code = errorCode(error)
      // ENOTDIR: something above it is a file, and will be found on the way up.
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        throw new ConfigurationProblem(`${flag} ${path}: cannot be accessed (${code ?? String(error)})`)
      }
    }
  }
}
