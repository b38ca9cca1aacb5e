import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../setup/command.mjs'
import { bringNode } from './node-binary.ts'
import { hostPlatform, type Platform } from './platforms.ts'

/**
 * Puts the bundle into a copy of the platform's Node. For this machine's platform the compiled code is put in too, which
 * halves the start; it cannot be made for another one.
 */
export async function buildExecutable(platform: Platform, bundle: string, output: string): Promise<void> {
  const home = await bringNode(platform)
  const configuration = `${output}.json`
  writeFileSync(
    configuration,
    JSON.stringify({
      ...{ main: bundle, mainFormat: 'module', output, executable: join(home, 'bin', 'node') },
      disableExperimentalSEAWarning: true,
      useCodeCache: platform === hostPlatform(),
      // Options of Node that a user has set for other programs are not for this one.
      execArgvExtension: 'none',
      // The loader for --resources is experimental, which is nothing for the user to act on.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    }),
  )
  try {
    await run(process.execPath, ['--build-sea', configuration])
  } finally {
    rmSync(configuration, { force: true })
  }
  chmodSync(output, 0o755)
}
