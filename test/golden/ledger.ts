// What is left over: the recorded steps that this server does not answer as recorded, each with the issue that owns
// it. A step that fails and is not listed breaks the build, and so does one that is listed and passes: the lists can
// only shrink. `node test/golden/ledger.ts` says how things stand; with `--update` it takes out what passes by now.
// Names of areas and topics after it narrow it to those: `node test/golden/ledger.ts --update ssa apply`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { replayAggregated } from './aggregated/replay-aggregated.ts'
import { chains } from './clients/captured-run.ts'
import { replayChain } from './clients/replay-clients.ts'
import { recordedAreas, replayRecordings } from './replay-recordings.ts'
import { recordedTranscripts, replayTranscripts, type Transcript } from './replay-transcripts.ts'
import { type ServedStore, servedStores, withServer } from './served-store.ts'
import type { StepResult } from './step-result.ts'

export interface LeftOver {
  /** `issue 4`: who will mend it. `for good`: it quotes the implementation of another program, and stays. */
  readonly owner: string
  readonly why: string
}

/** By the id of the step. */
export type Ledger = Readonly<Record<string, LeftOver>>

const files = {
  recordings: join(import.meta.dirname, 'left-over.json'),
  transcripts: join(import.meta.dirname, 'left-over-kubectl.json'),
  clients: join(import.meta.dirname, 'left-over-clients.json'),
  aggregated: join(import.meta.dirname, 'left-over-aggregated.json'),
} as const

export type Suite = keyof typeof files

export function readLedger(suite: Suite): Ledger {
  return JSON.parse(readFileSync(files[suite], 'utf8')) as Ledger
}

/** Differences from the ledger; empty if all is as listed. `known` are the existing steps. */
export function disagreements(
  results: readonly StepResult[],
  ledger: Ledger,
  known: readonly string[] = results.map(({ id }) => id),
): readonly string[] {
  const there = new Set(known)
  return [
    ...results.flatMap(({ id, ok, why }) => {
      if (!ok && !Object.hasOwn(ledger, id)) return [`${id} fails and is not listed:\n${why}`]
      if (ok && Object.hasOwn(ledger, id)) return [`${id} passes: take it off the list (ledger.ts --update)`]
      return []
    }),
    ...Object.keys(ledger)
      .filter((id) => !there.has(id))
      .map((id) => `${id} is listed and there is no such step`),
  ]
}

/** The ledger without what has passed on every store. What has not been played stays. */
export function shrunk(ledger: Ledger, runs: readonly (readonly StepResult[])[]): Ledger {
  const results = runs.flat()
  const failing = new Set(results.flatMap(({ id, ok }) => (ok ? [] : [id])))
  const passing = new Set(results.flatMap(({ id }) => (failing.has(id) ? [] : [id])))
  return Object.fromEntries(Object.entries(ledger).filter(([id]) => !passing.has(id)))
}

/** The transcripts of which something is expected. Those of which every step is left over would only take time. */
export function promising(transcripts: readonly Transcript[], ledger: Ledger): readonly Transcript[] {
  return transcripts.filter(({ steps }) => steps.some((id) => !Object.hasOwn(ledger, id)))
}

export function playRecordings(
  store: ServedStore,
  areas: readonly string[] = recordedAreas,
): Promise<readonly StepResult[]> {
  return withServer(store, (access) => replayRecordings(access, areas))
}

/** Replays the requests of real clients, chain by chain: each begins with a new server. */
export async function playClients(
  store: ServedStore,
  played: typeof chains = chains,
): Promise<readonly StepResult[]> {
  const results: StepResult[] = []
  for (const runs of played) {
    results.push(...(await withServer(store, (access) => replayChain(access, runs))))
  }
  return results
}

async function main(names: readonly string[], update: boolean): Promise<void> {
  const isMeant = (name: string): boolean => names.length === 0 || names.includes(name)
  const areas = recordedAreas.filter(isMeant)
  const transcripts = recordedTranscripts().filter(({ topic }) => isMeant(topic))
  if (areas.length > 0) await report('recordings', (store) => playRecordings(store, areas), update)
  if (transcripts.length > 0) {
    await report('transcripts', (store) => replayTranscripts(store, transcripts), update)
  }
  if (isMeant('clients')) await report('clients', (store) => playClients(store), update)
  if (isMeant('aggregated')) await report('aggregated', () => replayAggregated(), update, ['sqlite'])
}

async function report(
  suite: Suite,
  play: (store: ServedStore) => Promise<readonly StepResult[]>,
  update: boolean,
  stores: readonly ServedStore[] = servedStores,
): Promise<void> {
  const ledger = readLedger(suite)
  const runs = await Promise.all(stores.map(play))
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

if (import.meta.main) {
  const args = process.argv.slice(2)
  await main(
    args.filter((each) => !each.startsWith('--')),
    args.includes('--update'),
  )
}
