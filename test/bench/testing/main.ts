import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { REQUIRED_MAJOR } from '../../../packages/cli/bin/pinned-node.mjs'
import { bundleCommand } from '../../../tools/bundle-command.ts'
import { estimate } from '../statistics.ts'
import { type Environment, envtestPair, inProcess, type Sample, strataTestenv } from './environments.ts'
import { missingAssets } from './kube-apiserver-pair.ts'
import { renderTable } from './render-table.ts'

const usage = `npm run bench:testing -- [options]

Compares what a tester of controllers can start: startCluster inside the test process, strata testenv, and what envtest starts, a
kube-apiserver with etcd. Measures the time until a CRD is served, memory, and a suite of tests, one request after another. All
of them take turns, round after round; the numbers are medians.

  --assets DIR     folder with kube-apiserver and etcd, as KUBEBUILDER_ASSETS (default: that variable; without both, the pair is left out)
  --rounds N       number of rounds (default 6)
  --tests N        number of tests in the suite, about 12 requests each (default 100)
  -o json          print the samples as JSON

Examples:
  $ npm run bench:testing
  $ npm run bench:testing -- --assets ~/.local/share/kubebuilder-envtest/k8s/1.36.4-linux-amd64 --rounds 10`

const { values } = parseArgs({
  options: {
    assets: { type: 'string', default: process.env['KUBEBUILDER_ASSETS'] },
    rounds: { type: 'string', default: '6' },
    tests: { type: 'string', default: '100' },
    output: { type: 'string', short: 'o', default: 'table' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) console.log(usage)
else await bench()

async function bench(): Promise<void> {
  const { assets } = values
  const missing = assets === undefined ? 'no --assets' : missingAssets(assets)
  if (missing !== undefined) process.stderr.write(`kube-apiserver and etcd are left out: ${missing}\n`)
  const directory = await mkdtemp(join(tmpdir(), 'strata-bench-'))
  try {
    const command = join(directory, 'strata.mjs')
    const program = join(directory, 'in-process.mjs')
    await bundleCommand(command, REQUIRED_MAJOR)
    await bundleCommand(program, REQUIRED_MAJOR, 'test/bench/testing/in-process.ts')
    const tests = whole('--tests', values.tests)
    const environments: Environment[] = [
      inProcess(program, tests),
      strataTestenv(command, tests),
      ...(assets === undefined || missing !== undefined ? [] : [envtestPair(assets, tests)]),
    ]
    const samples = await measure(environments, whole('--rounds', values.rounds))
    if (values.output === 'json')
      return console.log(JSON.stringify(Object.fromEntries(samples), undefined, 2))
    console.log(renderTable(summarize(samples), tests))
    const load = loadavg()[0]?.toFixed(1)
    console.log(`load average at the end: ${load} on ${availableParallelism()} cores`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function measure(environments: readonly Environment[], rounds: number): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>(environments.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of environments) {
      process.stderr.write(`round ${round + 1} of ${rounds}: ${name}\n`)
      samples.get(name)?.push(await run())
    }
  }
  return samples
}

function summarize(samples: ReadonlyMap<string, readonly Sample[]>) {
  return Array.from(samples, ([name, all]) => {
    const median = (pick: (sample: Sample) => number): number => estimate(all.map(pick)).median
    const further = all.flatMap(({ furtherMs }) => furtherMs ?? [])
    return {
      name,
      readyMs: median(({ readyMs }) => readyMs),
      ...(further.length > 0 ? { furtherMs: estimate(further).median } : {}),
      memoryBytes: median(({ memoryBytes }) => memoryBytes),
      suiteMs: median(({ suiteMs }) => suiteMs),
    }
  })
}

function whole(flag: string, given: string): number {
  const value = Number(given)
  if (Number.isInteger(value) && value > 0) return value
  process.stderr.write(`${flag} ${given}: give a whole number, 1 or more\n`)
  process.exit(1)
}
