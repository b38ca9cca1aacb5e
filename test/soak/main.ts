import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleForTests } from '../../tools/bundle-for-tests.ts'
import type { Judgement } from './judge.ts'
import { inspectorOption } from './retained-memory.ts'
import type { SoakFigures } from './soak.ts'

const usage = `usage: npm run soak -- [options]

Runs two servers over one SQLite file, with the controllers, watches, mixed writes, restarts of one server, and CRDs that
are created, switch their storage version and are deleted. Then it checks that no watch is stuck or missed a heartbeat, that
/livez always answered another process within a second, and that the memory of the other server has not grown. The exit code
is 1 if a check fails.

  --minutes N     duration (default 5); the memory trend needs at least 10 minutes
  --watches N     number of watches (default 1000)
  --writers N     number of concurrent writers (default 4)
  -o json         print results as JSON
  --help          print this

Examples:
  $ npm run soak -- --minutes 30
  $ npm run soak -- --minutes 2 --watches 100 -o json`

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '5' },
      watches: { type: 'string', default: '1000' },
      writers: { type: 'string', default: '4' },
      output: { type: 'string', short: 'o', default: 'table' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return true
  }
  const directory = await mkdtemp(join(tmpdir(), 'strata-soak-bundle-'))
  try {
    Object.assign(process.env, await bundleForTests(directory), { NODE_OPTIONS: inspectorOption })
    // Reads where the bundle is when it is loaded.
    const { soak } = await import('./soak.ts')
    const { judge } = await import('./judge.ts')
    const figures = await soak({
      minutes: number('--minutes', values.minutes),
      watches: number('--watches', values.watches),
      writers: number('--writers', values.writers),
      ...{ filling: 13_000, crdEveryMs: 15_000 },
      onProgress: (text) => process.stderr.write(`${text}\n`),
    })
    const judgement = judge(figures)
    console.log(
      values.output === 'json'
        ? JSON.stringify({ ...figures, ...judgement }, undefined, 2)
        : shown(figures, judgement),
    )
    return judgement.problems.length === 0
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function number(flag: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new TypeError(`${flag} ${text}: give a number above 0`)
  return value
}

function shown(figures: SoakFigures, { held, resident, problems }: Judgement): string {
  const { livez } = figures
  const mebibytes = (bytes = 0): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
  const trend = (name: string, of: Judgement['held']): string =>
    of
      ? `${name}: ${mebibytes(of.startBytes)} after the warm-up, ${mebibytes(of.endBytes)} at the end, ${mebibytes(of.bytesPerMinute)} a minute`
      : `${name}: too few samples`
  return [
    `${figures.minutes} minutes, ${figures.restarts} restarts, ${figures.crdRounds} CRDs created, switched and deleted`,
    `watches: ${figures.watches}, ${figures.beats} heartbeats (${figures.repeatedBeats} sent again), ${figures.events} events, ${figures.resumes} resumed, ${figures.relists} began anew, ${figures.stuck} stuck`,
    `requests: ${Object.entries(figures.operations)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}; ${figures.refused} refused or without an answer`,
    `longest time without a beat: ${(figures.longestSilenceMs / 1_000).toFixed(1)} s at a watch, ${(figures.longestBeatMs / 1_000).toFixed(1)} s at the writer`,
    `/livez: ${livez.probes} probes, median ${livez.medianMs.toFixed(1)} ms, p99 ${livez.p99Ms.toFixed(0)} ms, slowest ${livez.slowestMs.toFixed(0)} ms (${livez.slowestOfServerMs.toFixed(0)} ms without what the probe waited for the machine), ${livez.failures.length} failed`,
    trend('held after collection', held),
    trend('resident', resident),
    ...(problems.length === 0 ? ['all is well'] : problems.map((each) => `PROBLEM: ${each}`)),
  ].join('\n')
}

try {
  process.exitCode = (await main()) ? 0 : 1
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  process.stderr.write(`${error.message} (see --help)\n`)
  process.exitCode = 2
}
