import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { strataCommand } from '../support/serve-process.ts'
import { type Played, scenes, slugOf } from './all-scenes.ts'
import { parseOptions, UsageError, usage } from './options.ts'
import { playAll, summaryOf } from './play-all.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const tell = (text: string): void => void process.stderr.write(`${text}\n`)

async function main(args: readonly string[]): Promise<number> {
  const { help, kubeconfig, kubectl, strata, only, concurrency, verbose } = parseOptions(args, process.env)
  if (help) {
    print(usage)
    return 0
  }
  const chosen = scenes.filter(
    (each) => only.length === 0 || only.some((part) => slugOf(each).includes(part)),
  )
  if (chosen.length === 0)
    throw new UsageError(`--only ${only.join()}: known: ${scenes.map(slugOf).join(', ')}`)
  const directory = await mkdtemp(join(tmpdir(), 'strata-scenes-'))
  const onPlayed = ({ scene, result, transcript }: Played): void => {
    tell(`${result}: ${scene.thread}`)
    if (verbose || result === 'failed') tell(`${transcript}\n`)
  }
  try {
    const tools = {
      ...{ kubeconfig: resolve(kubeconfig), kubectl, directory },
      strata: strata === undefined ? [process.execPath, strataCommand] : [strata],
    }
    const played = await playAll(chosen, tools, { concurrency, onPlayed })
    print(summaryOf(played))
    return played.some(({ result }) => result === 'failed') ? 1 : 0
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  tell(`e2e:cluster: ${error.message}\n"npm run e2e:cluster -- --help" lists the options.`)
  process.exitCode = 2
}
