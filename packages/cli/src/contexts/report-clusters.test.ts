import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import type { Outcome } from './merge-reports.ts'
import { type ReportFlags, reportClusters } from './report-clusters.ts'

const config = {
  'current-context': 'a2',
  clusters: ['a1', 'a2', 'b', 'c'].map((name) => ({
    name,
    cluster: {
      server: `https://${name}`,
      'certificate-authority-data': name.startsWith('a') ? 'QQ==' : name,
    },
  })),
  users: [{ name: 'u', user: {} }],
  contexts: ['a1', 'a2', 'b', 'c'].map((name) => ({ name, context: { cluster: name, user: 'u' } })),
}

async function stage(t: TestContext) {
  const home = await mkdtemp(join(tmpdir(), 'strata-contexts-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  const kubeconfig = join(home, 'config')
  await writeFile(kubeconfig, JSON.stringify(config))
  const printed: string[] = []
  const context = {
    ...{ world: new Simulation('contexts').process('p', { host: 'h' }), environment: {}, screen: undefined },
    ...{ execPath: '', entry: '', isTerminal: false, signal: new AbortController().signal },
    print: (text: string) => printed.push(text),
  } satisfies CliContext
  const asked: string[] = []
  const uids: Record<string, string> = { a1: 'u-1', a2: 'u-1' }
  const run = (flags: Partial<ReportFlags>, look = answer): Promise<number> => {
    const given = { kubeconfig, context: [], output: 'json', ...flags } as const
    return reportClusters('verify', given, context, 5, look, async (name) => ({ uid: uids[name] }))
  }
  async function answer({ context: names }: ReportFlags): Promise<Outcome> {
    asked.push(names.join('+'))
    if (names.includes('c')) throw new CliError('no answer')
    return { report: { command: 'verify', sections: [], results: [], document: { names } }, exit: 3 }
  }
  return { run, printed, asked, uids }
}

test('--all-contexts: each fleet once, the current one first; one that does not answer is not the end', async (t) => {
  const { run, printed, asked } = await stage(t)
  assert.equal(await run({ allContexts: true }), 5)
  assert.deepEqual(asked, ['a2+a1', 'b', 'c'])
  assert.deepEqual(JSON.parse(printed.join('')).contexts, [
    { context: 'a2', exitCode: 3, names: ['a2', 'a1'] },
    { context: 'b', exitCode: 3, names: ['b'] },
    { context: 'c', exitCode: 5, unseen: 'no answer' },
  ])
})

test('--all-contexts: two clusters with one authority and user are two, also if one of them does not say which it is', async (t) => {
  const { run, asked, uids } = await stage(t)
  for (const other of ['u-2', undefined]) {
    if (other) uids['a1'] = other
    else delete uids['a1']
    assert.equal(await run({ allContexts: true }), 5)
    assert.deepEqual(asked.splice(0), ['a2', 'a1', 'b', 'c'])
  }
})

test('--contexts: those that are named, each by itself; without either flag --context is as ever', async (t) => {
  const { run, asked } = await stage(t)
  assert.equal(await run({ contexts: ['a1', 'a2', 'a1'] }), 3)
  assert.equal(await run({ context: ['a1', 'a2'] }), 3)
  assert.deepEqual(asked, ['a1', 'a2', 'a1+a2'])
})

const mistakes: readonly [flags: Partial<ReportFlags>, message: RegExp][] = [
  [{ contexts: ['a1'], allContexts: true }, /give --contexts or --all-contexts, not both/],
  [{ contexts: ['a1'], context: ['b'] }, /--context names servers of one cluster: give it, or/],
]
for (const [flags, message] of mistakes) {
  test(`several contexts: ${message.source}`, async (t) => {
    const { run } = await stage(t)
    await assert.rejects(run(flags), { name: 'CliError', exitCode: 2, message })
  })
}

test('several contexts: a wrong flag and a bug end the command', async (t) => {
  const { run } = await stage(t)
  for (const error of [new CliError('wrong flag', 2), new Error('a bug')]) {
    await assert.rejects(
      run({ contexts: ['b'] }, async () => {
        throw error
      }),
      error,
    )
  }
})
