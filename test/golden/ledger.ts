// What is left over: the recorded steps that this server does not answer as recorded, each with the issue that owns
// it. A step that fails and is not listed breaks the build, and so does one that is listed and passes: the lists can
// only shrink. `node test/golden/ledger.ts` says how things stand; with `--update` it takes out what passes by now.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chains } from './clients/captured-run.ts'
import { replayChain } from './clients/replay-clients.ts'
import { recordedAreas, replayRecordings } from './replay-recordings.ts'
import { recordedTopics, replayTranscripts } from './replay-transcripts.ts'
import { type ServedStore, servedStores, withServer } from './served-store.ts'
import type { StepResult } from './step-result.ts'

export interface LeftOver {
  /** `issue 4`: who will mend it. `for good`: it quotes the implementation of another program, and stays. */
  readonly owner: string
  readonly why: string
}

/** By the id of the step, or `topic/*` for a transcript that is left over as a whole and is not even run. */
export type Ledger = Readonly<Record<string, LeftOver>>

const files = {
  recordings: join(import.meta.dirname, 'left-over.json'),
  transcripts: join(import.meta.dirname, 'left-over-kubectl.json'),
  clients: join(import.meta.dirname, 'left-over-clients.json'),
} as const

export type Suite = keyof typeof files

export function readLedger(suite: Suite): Ledger {
  return JSON.parse(readFileSync(files[suite], 'utf8')) as Ledger
}

const isWhole = (id: string): boolean => id.endsWith('/*')

/** What does not agree with the ledger, in words; empty when all is as listed. */
export function disagreements(results: readonly StepResult[], ledger: Ledger): readonly string[] {
  const known = new Set(results.map(({ id }) => id))
  return [
    ...results.flatMap(({ id, ok, why }) => {
      if (!ok && !Object.hasOwn(ledger, id)) return [`${id} fails and is not listed:\n${why}`]
      if (ok && Object.hasOwn(ledger, id)) return [`${id} passes: take it off the list (ledger.ts --update)`]
      return []
    }),
    ...Object.keys(ledger)
      .filter((id) => !known.has(id) && !isWhole(id))
      .map((id) => `${id} is listed and there is no such step`),
  ]
}

/** The ledger without what passes on every store, and without what is gone. */
export function shrunk(ledger: Ledger, runs: readonly (readonly StepResult[])[]): Ledger {
  const failing = new Set(runs.flat().flatMap(({ id, ok }) => (ok ? [] : [id])))
  return Object.fromEntries(Object.entries(ledger).filter(([id]) => failing.has(id) || isWhole(id)))
}

/** The steps of one suite against a server of this clone. */
export async function runSuite(suite: Suite, store: ServedStore): Promise<readonly StepResult[]> {
  if (suite === 'clients') {
    const results: StepResult[] = []
    for (const runs of chains) {
      results.push(...(await withServer(store, (access) => replayChain(access, runs))))
    }
    return results
  }
  const ledger = readLedger(suite)
  return withServer(store, (access) => {
    if (suite === 'recordings') return replayRecordings(access, recordedAreas)
    return replayTranscripts(
      access,
      recordedTopics().filter((topic) => !Object.hasOwn(ledger, `${topic}/*`)),
    )
  })
}

async function main(update: boolean): Promise<void> {
  for (const suite of Object.keys(files) as Suite[]) {
    const ledger = readLedger(suite)
    const runs = await Promise.all(servedStores.map((store) => runSuite(suite, store)))
    const failing = new Map(runs.flat().flatMap(({ id, ok, why }) => (ok ? [] : [[id, why]])))
    const total = runs[0]?.length ?? 0
    for (const [id, why] of failing) {
      process.stdout.write(`${id} [${ledger[id]?.owner ?? 'NOT LISTED'}]\n${why}\n`)
    }
    process.stdout.write(`${suite}: ${total - failing.size} of ${total} as recorded\n`)
    const rest = shrunk(ledger, runs)
    const gone = Object.keys(ledger).filter((id) => !Object.hasOwn(rest, id))
    if (gone.length > 0) process.stdout.write(`no longer left over: ${gone.join(', ')}\n`)
    if (update) writeFileSync(files[suite], `${JSON.stringify(rest, null, 2)}\n`)
  }
}

if (import.meta.main) await main(process.argv.includes('--update'))
